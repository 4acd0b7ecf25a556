/* Windows: starts a command, sends it Ctrl-Break after some milliseconds, and returns its exit code.
 *
 *     interrupt MILLISECONDS COMMAND...
 *
 * 250: it could not be started, 251: the event could not be sent, 252: it did not end within a minute.
 */
#include <stdlib.h>
#include <wchar.h>
#include <windows.h>

/* What follows a word of the command line and the blanks behind it. */
static wchar_t *behind(wchar_t *text)
{
    int quoted = 0;
    while (*text != L'\0' && (quoted || *text != L' ')) {
        quoted ^= *text++ == L'"';
    }
    return text + wcsspn(text, L" ");
}

int main(void)
{
    wchar_t *wait = behind(GetCommandLineW());
    STARTUPINFOW start = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES};
    PROCESS_INFORMATION process;
    DWORD code = 252;
    start.hStdInput = GetStdHandle(STD_INPUT_HANDLE);
    start.hStdOutput = GetStdHandle(STD_OUTPUT_HANDLE);
    start.hStdError = GetStdHandle(STD_ERROR_HANDLE);
    /* The event goes through a console, which a program that Wine starts without a terminal does not have. */
    if (GetConsoleCP() == 0) {
        FreeConsole();
        AllocConsole();
    }
    /* A group of its own, so that the event does not end this program too. */
    if (!CreateProcessW(NULL, behind(wait), NULL, NULL, TRUE, CREATE_NEW_PROCESS_GROUP, NULL, NULL, &start, &process)) {
        return 250;
    }
    Sleep((DWORD)wcstoul(wait, NULL, 10));
    if (!GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, process.dwProcessId)) {
        code = 251;
        TerminateProcess(process.hProcess, code);
    } else if (WaitForSingleObject(process.hProcess, 60000) == WAIT_OBJECT_0) {
        GetExitCodeProcess(process.hProcess, &code);
    } else {
        TerminateProcess(process.hProcess, code);
    }
    return (int)code;
}
