#include "client/remote/remote_watch.h"

namespace proa::client {

Result<std::vector<Event>> RemoteWatch::next(const Until& until) {
  while (true) {
    std::vector<Event> events = TRY(lines_.take());
    if (!events.empty()) return events;
    const Result<std::optional<Bytes>> part = call_->read(until);
    if (!part) {
      // Else it is only called off: the deadline alone does not tell, which has always passed for
      // those who do not wait.
      if (call_->is_over()) return part.status();
      return events;
    }
    if (!*part) return Status(Reason::kServiceUnavailable, "the server has ended the watch");
    lines_.feed((*part)->view());
  }
}

}  // namespace proa::client
