#include "proxy/flows/tracking.h"

#include <algorithm>

#include "base/log.h"
#include "proxy/settings.h"

namespace proa::proxy {
namespace tracking {

const Log kLog{"proxy"};

constexpr int64_t kPerProcessor = 32768;
constexpr int64_t kLeast = 131072;
constexpr int64_t kMost = 1048576;
constexpr int64_t kPerBucket = 4;

constexpr const char* kFolder = "/proc/sys/net/netfilter/nf_conntrack_";
constexpr const char* kBuckets = "/sys/module/nf_conntrack/parameters/hashsize";

// Whether it is as wanted now.
bool set(const std::string& path, int64_t value) {
  const Result<void> written = write_setting(path, value);
  if (!written) {
    kLog.info("a setting of connection tracking stays as it is", {{"error", written.status()}});
    return false;
  }
  kLog.info("connection tracking is set", {{"setting", path}, {"value", value}});
  return true;
}

void set_exactly(const std::string& name, int64_t value) {
  const std::string path = kFolder + name;
  const auto current = read_setting(path);
  if (current && *current != value) set(path, value);
}

}  // namespace tracking

Tracking wanted_tracking(int processors) {
  Tracking wanted;
  wanted.most = std::clamp(processors * tracking::kPerProcessor, tracking::kLeast, tracking::kMost);
  wanted.buckets = wanted.most / tracking::kPerBucket;
  return wanted;
}

void prepare_tracking(const Tracking& wanted) {
  tracking::set_exactly("tcp_timeout_established", wanted.established);
  tracking::set_exactly("tcp_timeout_close_wait", wanted.close_wait);
  const std::string most = std::string(tracking::kFolder) + "max";
  const auto current = read_setting(most);
  if (!current || *current >= wanted.most || !tracking::set(most, wanted.most)) return;
  const auto buckets = read_setting(tracking::kBuckets);
  if (buckets && *buckets < wanted.buckets) tracking::set(tracking::kBuckets, wanted.buckets);
}

}  // namespace proa::proxy
