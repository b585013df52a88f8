#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/threads/deadline.h"
#include "http/wire/url.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

enum class LogStreams : uint8_t { kAll, kOutput, kErrors };

// A request for a container's log: PodLogOptions.
struct LogQuery {
  bool follow = false;
  bool previous = false;  // of the previous instance
  bool timestamps = false;
  std::optional<int64_t> tail_lines = {};
  std::optional<int64_t> limit_bytes = {};
  std::optional<Time> since = {};
  LogStreams streams = LogStreams::kAll;
};

// From the query parameters. kBadRequest for malformed ones, kInvalid for values out of range;
// messages are those of upstream's kubelet.
Result<LogQuery> read_log_query(const http::Target& target, Time now);

// An open log. For one thread.
class LogText {
 public:
  virtual ~LogText() = default;
  // The next chunk; nullopt at the end. When following, waits for more; fails if `until` is over
  // first.
  virtual Result<std::optional<std::string>> next(const Until& until) = 0;
};
struct LogPlace {
  PodPtr pod = {};
  std::string container = {};
  std::string container_id = {};  // of the runtime, without its scheme
};
using LogOpener =
    std::function<Result<std::unique_ptr<LogText>>(const LogPlace& place, const LogQuery& query)>;

}  // namespace proa::kubelet
