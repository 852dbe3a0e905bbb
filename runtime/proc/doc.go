// Package proc runs programs of others: each in a process group of its own that is ended as a
// whole, with output that is passed on and never kept, and an identity by which a process is found
// again after a restart.
//
// What differs between systems:
//
//   - Linux and the other Unixes: a group is a process group. It is asked to end by SIGTERM and
//     ended by SIGKILL. A process that leaves its group is not in it any more; on Linux
//     [Command.Sweep] finds it by a mark in its environment.
//   - Windows: a group is a job object, which also ends when this process does. It is asked to end
//     by CTRL_BREAK, which reaches programs of the same console only. What a program starts in its
//     first instant can escape the job.
//   - Elsewhere there are no groups, and only the program itself is ended.
package proc
