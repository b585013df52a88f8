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

// What somebody wants to read of a container's log: PodLogOptions.
struct LogQuery {
  bool follow = false;
  bool previous = false;  // of the container before
  bool timestamps = false;
  std::optional<int64_t> tail_lines = {};
  std::optional<int64_t> limit_bytes = {};
  std::optional<Time> since = {};
  LogStreams streams = LogStreams::kAll;
};

// From the parameters of a request. kBadRequest for those that make no sense, kInvalid for those
// that are out of bounds; messages as upstream's kubelet sends them.
Result<LogQuery> read_log_query(const http::Target& target, Time now);

// A log that is being read. For one thread.
class LogText {
 public:
  virtual ~LogText() = default;
  // The next part; nullopt at the end. When following, waits for more; a failure when `until` came
  // first.
  virtual Result<std::optional<std::string>> next(const Until& until) = 0;
};
struct LogPlace {
  PodPtr pod = {};
  std::string container = {};
  std::string container_id = {};  // of the runtime, without its name
};
using LogOpener =
    std::function<Result<std::unique_ptr<LogText>>(const LogPlace& place, const LogQuery& query)>;

}  // namespace proa::kubelet
