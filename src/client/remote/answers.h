#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/client.h"

// What a server's answers hold. Text is printed anew, so that objects are in the one form that
// api::Object looks into, whoever wrote them.

namespace proa::client {

Result<api::ObjectPtr> read_object(std::string_view body);
// Items get back their kind, which servers leave out in lists.
Result<ObjectList> read_list(std::string_view body);

// The lines of a watch, which come in any pieces.
class WatchLines {
 public:
  // A line that is longer means that something is wrong: objects are limited to a few megabytes.
  explicit WatchLines(size_t longest = size_t{32} << 20) : longest_(longest) {}

  void feed(std::string_view bytes) { buffer_.append(bytes); }
  // The events of all lines that are complete. A line that tells of a failure is the last one: its
  // Status comes once the events before it were taken.
  Result<std::vector<Event>> take();

 private:
  const size_t longest_;
  std::string buffer_;
  size_t searched_ = 0;  // there is no line end before
};

// The failure of a list or watch; 410 is always kExpired.
Status expired_if_gone(const Status& status);

}  // namespace proa::client
