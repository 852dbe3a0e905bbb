package emit

import (
	"reflect"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The runtime's constants by value. The zero ones have no name here: literals leave them out.
var (
	actionNames = []string{
		taxonomy.Block: "Block", taxonomy.Continue: "Continue", taxonomy.Retry: "Retry",
		taxonomy.RetryOperation: "RetryOperation",
		taxonomy.Escalate:       "Escalate", taxonomy.Recover: "Recover",
	}
	extentNames  = []string{taxonomy.ExtentRun: "ExtentRun"}
	revertNames  = []string{taxonomy.RevertFiles: "RevertFiles", taxonomy.RevertIteration: "RevertIteration"}
	sessionNames = []string{taxonomy.SessionFresh: "SessionFresh", taxonomy.SessionReduced: "SessionReduced"}
	purposeNames = []string{
		taxonomy.PurposeDiagnosis: "PurposeDiagnosis", taxonomy.PurposeAnalysis: "PurposeAnalysis",
		taxonomy.PurposeVerification: "PurposeVerification",
	}
	resumeNames = []string{taxonomy.ResumeOperation: "ResumeOperation"}
	sharedNames = []string{taxonomy.SharedCredential: "SharedCredential"}
	logNames    = []string{
		taxonomy.LogDebug: "LogDebug", taxonomy.LogInfo: "LogInfo", taxonomy.LogWarn: "LogWarn",
		taxonomy.LogError: "LogError",
	}
	stackNames   = []string{taxonomy.StackNever: "StackNever", taxonomy.StackAlways: "StackAlways"}
	backoffNames = []string{taxonomy.Constant: "Constant", taxonomy.Linear: "Linear"}
	jitterNames  = []string{
		taxonomy.JitterProportional: "JitterProportional", taxonomy.JitterFull: "JitterFull",
		taxonomy.JitterDecorrelated: "JitterDecorrelated",
	}
	recoverabilityNames = []string{
		taxonomy.Retryable: "Retryable", taxonomy.Recoverable: "Recoverable",
		taxonomy.RecoverabilityUnknown: "RecoverabilityUnknown",
	}
	severityNames = []string{
		taxonomy.SeverityLow: "SeverityLow", taxonomy.SeverityMedium: "SeverityMedium",
		taxonomy.SeverityHigh:     "SeverityHigh",
		taxonomy.SeverityCritical: "SeverityCritical",
	}
	kindNames = []string{taxonomy.Fault: "Fault", taxonomy.Failure: "Failure"}
	keyNames  = []string{
		detect.Source: "Source", detect.Op: "Op", detect.Status: "Status", detect.Type: "Type", detect.Code: "Code",
		detect.ExitCode: "ExitCode", detect.Signal: "Signal", detect.Errno: "Errno", detect.Is: "Is", detect.As: "As",
		detect.Attribute: "Attribute",
	}
	presenceNames = []string{detect.Present: "Present", detect.Absent: "Absent"}
)

// constantNames are the names of the runtime's constants by type and value.
var constantNames = map[reflect.Type][]string{
	reflect.TypeFor[taxonomy.Action]():         actionNames,
	reflect.TypeFor[taxonomy.Extent]():         extentNames,
	reflect.TypeFor[taxonomy.Revert]():         revertNames,
	reflect.TypeFor[taxonomy.Session]():        sessionNames,
	reflect.TypeFor[taxonomy.Purpose]():        purposeNames,
	reflect.TypeFor[taxonomy.Resume]():         resumeNames,
	reflect.TypeFor[taxonomy.Shared]():         sharedNames,
	reflect.TypeFor[taxonomy.LogLevel]():       logNames,
	reflect.TypeFor[taxonomy.Stack]():          stackNames,
	reflect.TypeFor[taxonomy.Backoff]():        backoffNames,
	reflect.TypeFor[taxonomy.JitterKind]():     jitterNames,
	reflect.TypeFor[taxonomy.Recoverability](): recoverabilityNames,
	reflect.TypeFor[taxonomy.Severity]():       severityNames,
	reflect.TypeFor[taxonomy.Kind]():           kindNames,
	reflect.TypeFor[detect.Key]():              keyNames,
	reflect.TypeFor[detect.Presence]():         presenceNames,
	reflect.TypeFor[detect.Bounds]():           {1: "HasMin", 2: "HasMax", 3: "HasMin | detect.HasMax"},
}
