#include "client/remote/remote_watch.h"

namespace proa::client {

Result<std::vector<Event>> RemoteWatch::next(const Until& until) {
  while (true) {
    std::vector<Event> events = TRY(lines_.take());
    if (!events.empty()) return events;
    const Result<std::optional<Bytes>> part = call_->read(until);
    if (!part) {
      const bool called_off = until.stop.stop_requested() || clock_.steady() >= until.deadline;
      if (called_off) return events;
      return part.status();
    }
    if (!*part) return Status(Reason::kServiceUnavailable, "the server has ended the watch");
    lines_.feed((*part)->view());
  }
}

}  // namespace proa::client
