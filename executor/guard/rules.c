/* SPDX-License-Identifier: MIT */
/*
 * When in doubt a line is an error: to count a harmless line is better than to hide a failure. So an
 * error outweighs a progress bar on the same line, and what makes a line a warning stands at its start.
 * Every repetition is anchored, bounded or possessive: no line makes a pattern go back far.
 */
#include "executor/guard/rules.h"

#include "fencerun/code.h"

/* Even one that is logged as a warning. */
static const char *const tracebacks[] = {
    "Traceback \\(most recent call last\\)",
    NULL,
};

/* Behind these Python puts the line of the source they come from. */
static const char *const python_warnings[] = {
    /* warnings.warn(): "path:12: SomethingWarning: text"; also sys:1 and <string>:1. */
    "[^:]++:\\d++: \\w*+(?<=Warning):(?: |$)",
    "(?:\\w++\\.)*+\\w*+(?<=Warning):(?: |$)",
    /* A ResourceWarning with tracemalloc. */
    "Object allocated at \\(most recent call last\\)",
    "  File \"[^\"]++\", lineno \\d++$",
    /* More lines of pandas' SettingWithCopyWarning. */
    "A value is trying to be set on a copy of a (?:slice|DataFrame)",
    "Try using \\.loc\\[",
    "See the (?:caveats in the )?documentation(?: here)?: https?:",
    /* More lines of scikit-learn's ConvergenceWarning. */
    "STOP: TOTAL NO\\. (?:of|OF) ",
    "Increase the number of iterations",
    "Please also refer to the documentation for alternative solver options",
    " ++https?://scikit-learn\\.org/\\S++$",
    NULL,
};

/* What a log begins a record with; the words for one that is no error. Then what makes a line bad, and what
 * may stand before a mild word where that is not bad: a word, or all up to a colon. */
#define TIMESTAMP "\\[?\\d(?:[\\d/:., +-]|T(?=\\d)|Z\\b)++\\]?[\\s|:-]*+"
#define MILD      "(?:WARN(?:ING)?|INFO|DEBUG|NOTICE|TRACE|SUCCESS|DEPRECATION)\\b"
#define BAD       "(?:[Ee]rror|[Ee]xception|ERROR|CRITICAL|FATAL)"
#define NOT_BAD   "(?!\\w*" BAD ")"
#define SEGMENTS  "(?:(?![^:]*" BAD ")[^:]++:){0,4}?\\s*+"

static const char *const warnings[] = {
    /* "warning: text", behind up to four of "program:", "line 3:", "file.c:12:5:", and words as in
     * "PHP Warning:". None of that may be an error: "ValueError: bad warning: text". */
    SEGMENTS "(?:" NOT_BAD "[\\w.-]++\\s++){0,3}?"
             "(?i:warning|warn|deprecated)(?: ?\\[[\\w-]++\\]| #\\d++| C\\d++)?\\s*+:",
    /* Notes say more about a warning (or about an error, which has a line of its own). */
    (SEGMENTS "(?:OMP: )?(?i:note|notice|info|hint|debug)(?: #\\d++)?:"),
    /* Logs: "WARNING:root:text", "[INFO] text", "12:00:00 - name - WARNING - text". */
    ("\\W{0,8}+" MILD),
    (TIMESTAMP "(?:" NOT_BAD "[\\[(]?[\\w.]++[\\])]?[\\s|:-]++){0,2}?[\\[(]?" MILD),
    (NOT_BAD "[\\w.]++ (?:- )?\\[?" MILD),
    "time=\\S++ level=(?:warn(?:ing)?|info|debug|trace)\\b",
    "\\[(?i:notice|warning|warn|info|debug)\\]",
    /* glog and absl, TensorFlow, PyTorch, ONNX Runtime, Optuna: the level is one letter. */
    "[WID]\\d{4} ",
    "\\d{4}-\\d\\d-\\d\\d [\\d:]++\\.\\d++: [WI] ",
    "(?:[\\d-]++ [\\d:.]++ )?\\[[WID][ :\\d]",
    /* TensorFlow logs these as errors wherever there is no GPU, or two of its plug-ins. */
    "[^\\]]*+\\] (?:Unable to register cu\\w++ factory: Attempting|failed call to cuInit: )",
    "To enable the following instructions: ",
    /* node, but not what it called a promise that failed with nobody to handle it. */
    "\\(node:\\d++\\) (?!UnhandledPromiseRejection)(?:\\[\\w++\\] )?\\w*+(?<=Warning):",
    "\\(Use `\\S*node --trace-",
    "npm (?:WARN|warn|notice)\\b",
    /* Compilers: where a warning was found and what the source looks like there. */
    "[^:]++: (?:In (?:static |member )*+(?:function|constructor|destructor) |At (?:top|global) )",
    "(?:In file included| +) from [^:]++:\\d++",
    ("(?: {2,}+(?:\\d++ )?|\\d++ )\\|(?: |$)(?!.*?" BAD ")"),
    "\\d++ warnings? generated\\.$",
    /* matplotlib. */
    "Matplotlib (?:is building the font cache|created a temporary (?:config/)?cache directory)",
    "mkdir -p failed for path \\S*matplotlib",
    "findfont: ",
    /* Other libraries. */
    "\\([\\w.:-]++\\): [\\w-]+-(?:WARNING|Message|INFO|DEBUG) \\*\\*",
    "OpenBLAS (?i:warning)\\b",
    "QStandardPaths: ",
    "huggingface/tokenizers: The current process just got forked",
    /* R, apt, tar. */
    "Warning (?:messages?:|in )",
    "[WN]: ",
    "tar: Removing leading ",
    NULL,
};

/* What only has the word in it; behind it stands the value. */
static const char *const harmless[] = {
    /* "Error: none", but not "KeyError: None". */
    "(?i)[^:=]*+(?<=^error|\\serror|^errors|\\serrors)[:=]\\s*+(?:none|null|nil|no|no errors?)\\W*+$",
    /* "mean squared error: 0.25", a measurement. */
    "(?i)[^:=]*+(?<=\\w\\serror):\\s*+-?\\d++\\.\\d++(?:e[+-]?\\d++)?\\s*+%?\\s*+$",
    NULL,
};

/* At the start of a line. */
static const char *const error_lines[] = {
    /* "pkg.SomethingError", which Python writes where an exception has no text. */
    "(?:\\w++\\.)*+\\w*+(?<=Error|Exception|ExceptionGroup|SystemExit|StopIteration)(?::|$)",
    "Caused by:|--- Logging error ---",
    /* Where the level is one letter. */
    "E: |E\\d{4} |\\[E[ :\\d]|\\d{4}-\\d\\d-\\d\\d [\\d:]++\\.\\d++: [EF] ",
    /* A shell on a command it did not find, and on a process that died. */
    "[^:]++: \\d++: [^:]++: not found",
    "(?:[^:]++: (?:line \\d++: )?\\s*+\\d++ )?(?:Killed|Aborted|Terminated|Hangup)\\b",
    /* Frames of JavaScript, Java and Go. */
    "\\s++at (?:[\\w.$<>/]++\\(|.{1,400}:\\d++:\\d++\\)?$)",
    "node:internal/|npm error\\b|goroutine \\d++ \\[",
    NULL,
};

/* From any word of a line on. */
static const char *const error_words[] = {
    /* "SomethingError: text", "some error: text". */
    "\\w*+(?<=Error|error|Exception):",
    "\\w*+(?<=MemoryError|RecursionError|TimeoutError|KeyboardInterrupt)",
    "[Tt]raceback\\b",
    "Exception (?:in thread|ignored (?:in|on|while))|exception was never retrieved",
    "[Uu]nhandled exception|Uncaught\\b|UnhandledPromiseRejection",
    /* Logs and tools: "ERROR text", "error[E0308]: text", "fatal: text". */
    "(?:ERROR|CRITICAL)\\b|ERR!|(?<!non-)(?i:fatal)\\b",
    "error(?:\\[\\w++\\]| [A-Z]++\\d++):|(?<=\\[)(?:error|critical)\\]|level=(?:error|fatal|panic)\\b",
    /* A process that dies, in the words of a shell, of a C library and of the run-times. */
    "(?i:segmentation fault|core dumped|bus error|illegal instruction|floating point exception)",
    "double free|stack smashing|buffer overflow|terminate called|Assertion .{0,400}failed",
    "(?i:stack overflow|out of memory|runtime error)|panic: |panicked at",
    "(?i:timed out|interrupted)\\b",
    /* A step of a script that failed. */
    "command not found|(?i:syntax error)|unbound variable|bad substitution",
    "unexpected (?:EOF|end of file)|(?:invalid|unrecognized) option|missing operand",
    "cannot (?:access|open|stat|create|remove|execute|find|import|load)\\b",
    /* The C library's words for errno. */
    "(?i:no such file or directory|permission denied|operation not permitted|not a directory)",
    "(?i:is a directory|no space left on device|read-only file system|cannot allocate memory)",
    "(?i:connection (?:refused|reset)|network is unreachable|could not resolve host)",
    "(?i:temporary failure in name resolution|broken pipe|bad file descriptor)",
    "(?i:too many open files|disk quota exceeded|input/output error)",
    NULL,
};

#define NO_FAILURE "(?!.*?\\bfail)"

static const char *const progress[] = {
    /* tqdm: " 45%|####   | 45/100 [00:01<00:01, 40.00it/s]", "45it [00:01, 40.00it/s]". */
    "[^\\[]*+\\[\\d++:[\\d:]++[<,][^\\]]*+\\]\\s*+$",
    "[^|]*+(?<=\\d%)\\|[^|]*+\\|",
    /* progressbar2: " 45% (45 of 100) |####    | Elapsed Time: 0:00:01". */
    "\\s*+\\d++% \\(",
    /* Bars of heavy lines and of blocks (pip, rich, Keras 3) on a line with a number. */
    "(?=\\D*+\\d).*?(?:\\xe2(?:\\x94\\x81|\\x95[\\xb8\\xba]|\\x96[\\x88-\\x93])){3}",
    "\\d++/\\d++ (?:\\[[=>.]*+\\]|━)|Epoch \\d++/\\d++$",
    "[^\\[]*+\\[[=#>. -]{5,}+\\]",
    /* A spinner of Braille dots. */
    "\\xe2[\\xa0-\\xa3][\\x80-\\xbf] ",
    /* Nothing but how much is done. */
    "[\\w .,():/-]*+(?<=\\d)%(?: \\(\\d++/\\d++\\).{0,40})?(?: ?(?:done|completed?))?\\.*+$",
    /* What is fetched: pip, docker, git and many more. */
    ("\\s*+(?:Download(?:ing|ed)|Uploading|Extracting|Unpacking|Fetching)\\b" NO_FAILURE),
    ("\\s*+(?:Collecting|Installing|Resolving|Receiving objects|Cloning into)\\b" NO_FAILURE),
    "remote: (?:Enumerating|Counting|Compressing|Total)\\b",
    /* curl: its head and its figures; "#" for as much as is done. */
    " ++% Total ++% Received| ++Dload ++Upload",
    " *+\\d++ ++[\\d.]++[kMGTP]? ++\\d++ .{1,80}[\\d-]:[\\d-]",
    "[#=O-]*+ *+\\d++\\.\\d%$",
    /* wget. */
    "--\\d{4}-\\d\\d-\\d\\d [\\d:]++--  |Connecting to .{1,400} connected\\.$",
    "HTTP request sent, awaiting response\\.\\.\\. 2|Length: \\d|Saving to: ",
    " *+\\d++K [. ]++\\d++% |\\S++ ++\\d++%\\[|[\\d -]++[\\d:]++ \\([\\d.]++ .B/s\\) - .{1,400}saved ",
    NULL,
};

const fri_rules fri_stderr_rules[FRI_RULE_SETS] = {
    {"", tracebacks, FR_STDERR_ERROR, 0},   {"^", python_warnings, FR_STDERR_WARNING, 1},
    {"^", warnings, FR_STDERR_WARNING, 0},  {"^", harmless, FR_STDERR_OTHER, 0},
    {"^", error_lines, FR_STDERR_ERROR, 0}, {"\\b", error_words, FR_STDERR_ERROR, 0},
    {"^", progress, FR_STDERR_PROGRESS, 0},
};
