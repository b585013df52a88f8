#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/client.h"

// Parses responses. Objects are printed again, because api::Object requires canonical JSON and
// other servers may format differently.

namespace proa::client {

Result<api::ObjectPtr> read_object(std::string_view body);
// Restores the kind of items, which servers omit in lists.
Result<ObjectList> read_list(std::string_view body);

// Splits a watch stream into lines.
class WatchLines {
 public:
  // Longer lines are an error: objects are limited to a few megabytes.
  explicit WatchLines(size_t longest = size_t{32} << 20) : longest_(longest) {}

  void feed(std::string_view bytes) { buffer_.append(bytes); }
  // The events of all complete lines. A failure is the last line: its Status is returned after the
  // events before it.
  Result<std::vector<Event>> take();

 private:
  const size_t longest_;
  std::string buffer_;
  size_t searched_ = 0;  // contains no line end
};

// The failure of a list or watch; 410 is always kExpired.
Status expired_if_gone(const Status& status);

}  // namespace proa::client
