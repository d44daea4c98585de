/// Signals that ask a program to stop in order, or to tell something.
#pragma once

#include <string>

namespace wavetrain {

/// Catches TERM, INT and USR1 (stop in order) and USR2 (kept for the program's use), and ignores
/// CONT, PIPE and XFSZ. Call it first of all in main, before MPI starts: a signal in a program's
/// first moments would end it otherwise. A second INT ends the program at once.
void install_signal_handlers();

/// Gives TERM, INT, USR1, USR2 and PIPE back their default actions, for commands that have nothing
/// to put in order; a stop that was asked for in the meantime happens now.
void release_signal_handlers();

/// The signal that asked this rank to stop; 0: none.
int stop_signal();

/// Whether USR2 came since the last call.
bool take_user_signal();

/// "USR1", "TERM", "INT", "USR2"; the number of any other.
std::string signal_name(int signal);

} // namespace wavetrain
