package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// stat is the part of /proc/PID/stat that this package uses.
type stat struct {
	state byte
	group int
	start string // in ticks since the system's start
}

// dead reports whether the process is a zombie.
func (s stat) dead() bool { return s.state == 'Z' || s.state == 'X' || s.state == 'x' }

// startOf returns the boot and the tick in it at which a process started, and whether the process
// is running.
func startOf(pid int) (start string, running bool, err error) {
	s, err := statOf(pid)
	if err != nil {
		return "", false, err
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", false, err
	}
	return strings.TrimSpace(string(boot)) + "/" + s.start, !s.dead(), nil
}

// statOf reads the stat of a process. The fields are counted from the closing parenthesis of the
// program's name, because the name can contain any character.
func statOf(pid int) (stat, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return stat{}, errGone
	}
	if err != nil {
		return stat{}, err
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	const state, group, start = 0, 2, 19
	if len(fields) <= start {
		return stat{}, fmt.Errorf("stat of process %d has %d fields", pid, len(fields))
	}
	pgrp, err := strconv.Atoi(fields[group])
	if err != nil {
		return stat{}, fmt.Errorf("stat of process %d: %w", pid, err)
	}
	return stat{state: fields[state][0], group: pgrp, start: fields[start]}, nil
}
