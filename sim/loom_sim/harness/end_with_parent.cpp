// Ends this process as soon as nobody waits for it any more.
//
// Its standard input is a pipe whose other end only the parent holds. The pipe closes however the
// parent ends, and this thread sees it whatever the simulation is doing: it calls no Python.
#include <cerrno>
#include <thread>
#include <unistd.h>

namespace {
struct EndWithParent {
  EndWithParent() {
    std::thread([] {
      char byte;
      ssize_t count;
      do {
        count = read(STDIN_FILENO, &byte, 1);
      } while (count > 0 || (count < 0 && errno == EINTR));
      _exit(1);
    }).detach();
  }
};
const EndWithParent end_with_parent;
}  // namespace
