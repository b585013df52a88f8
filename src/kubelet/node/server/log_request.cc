#include "kubelet/node/server/log_request.h"

#include <algorithm>

#include "base/strings.h"

namespace proa::kubelet {
namespace log_request {

Status undecodable() {
  return Status(Reason::kBadRequest, R"({"message": "Unable to decode query."})");
}
Status invalid() { return Status(Reason::kInvalid, R"({"message": "Invalid request."})"); }

// Only what is absent, "false" or "0" means no, as upstream reads parameters.
bool flag(const http::Target& target, std::string_view name) {
  const std::string* value = target.find(name);
  return value != nullptr && *value != "0" && !equals_ignoring_case(*value, "false");
}

Result<std::optional<int64_t>> number(const http::Target& target, std::string_view name) {
  const std::string* value = target.find(name);
  if (value == nullptr) return std::optional<int64_t>();
  std::string_view digits = *value;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const std::optional<int64_t> parsed = parse_int(digits);
  if (!parsed) return undecodable();
  return parsed;
}

Result<std::optional<int64_t>> tail_lines(const http::Target& target) {
  // An older name, which wins.
  const std::string* tail = target.find("tail");
  if (tail == nullptr || tail->empty()) return number(target, "tailLines");
  if (*tail == "all") return std::optional<int64_t>();
  return number(target, "tail");
}

Result<LogStreams> streams(const http::Target& target) {
  const std::string* value = target.find("stream");
  if (value == nullptr || *value == "All") return LogStreams::kAll;
  if (*value == "Stdout") return LogStreams::kOutput;
  if (*value == "Stderr") return LogStreams::kErrors;
  return invalid();
}

Result<std::optional<Time>> since(const http::Target& target, Time now) {
  // More than a hundred years are all that there is.
  constexpr int64_t kMostSeconds = int64_t{100} * 365 * 24 * 3600;
  const std::optional<int64_t> seconds = TRY(number(target, "sinceSeconds"));
  const std::string* text = target.find("sinceTime");
  std::optional<Time> at;
  if (text != nullptr && !text->empty()) {
    const Result<Time> parsed = parse_time(*text);
    if (!parsed) return undecodable();
    at = *parsed;
  }
  if (!seconds) return at;
  if (at || *seconds < 1) return invalid();
  return std::optional<Time>(now - std::chrono::seconds(std::min(*seconds, kMostSeconds)));
}

}  // namespace log_request

Result<LogQuery> read_log_query(const http::Target& target, Time now) {
  LogQuery query;
  query.follow = log_request::flag(target, "follow");
  query.previous = log_request::flag(target, "previous");
  query.timestamps = log_request::flag(target, "timestamps");
  query.tail_lines = TRY(log_request::tail_lines(target));
  query.limit_bytes = TRY(log_request::number(target, "limitBytes"));
  query.since = TRY(log_request::since(target, now));
  query.streams = TRY(log_request::streams(target));
  const bool out_of_bounds = (query.tail_lines && *query.tail_lines < 0) ||
                             (query.limit_bytes && *query.limit_bytes < 1) ||
                             (query.tail_lines && query.streams != LogStreams::kAll);
  if (out_of_bounds) return log_request::invalid();
  return query;
}

}  // namespace proa::kubelet
