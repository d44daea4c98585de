/// Signal handlers: they set a flag and nothing else.
#include "wavetrain/comm/signals.hpp"

#include <csignal>
#include <initializer_list>

namespace wavetrain {
namespace {

volatile std::sig_atomic_t stop_flag = 0; // the signal's number
volatile std::sig_atomic_t user_flag = 0;

extern "C" void ask_to_stop(int signal) { stop_flag = signal; }
extern "C" void note_user_signal(int) { user_flag = 1; }

void handle(int signal, void (*handler)(int), int flags) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
}

} // namespace

void install_signal_handlers() {
    // Interrupted system calls go on: neither MPI nor the files shall notice.
    handle(SIGTERM, ask_to_stop, SA_RESTART);
    handle(SIGUSR1, ask_to_stop, SA_RESTART);
    // The first INT gives the second one its default action back.
    handle(SIGINT, ask_to_stop, SA_RESTART | static_cast<int>(SA_RESETHAND));
    handle(SIGUSR2, note_user_signal, SA_RESTART);
    handle(SIGCONT, SIG_IGN, 0);
    // Who reads the log may end before the training does.
    handle(SIGPIPE, SIG_IGN, 0);
    // A file larger than the limit (ulimit -f) is an error like a full disk.
    handle(SIGXFSZ, SIG_IGN, 0);
}

void release_signal_handlers() {
    for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGPIPE})
        handle(signal, SIG_DFL, 0);
    if (stop_flag != 0) std::raise(stop_flag);
}

int stop_signal() { return stop_flag; }

bool take_user_signal() {
    if (user_flag == 0) return false;
    user_flag = 0;
    return true;
}

std::string signal_name(int signal) {
    switch (signal) {
    case SIGTERM: return "TERM";
    case SIGINT: return "INT";
    case SIGUSR1: return "USR1";
    case SIGUSR2: return "USR2";
    default: return std::to_string(signal);
    }
}

} // namespace wavetrain
