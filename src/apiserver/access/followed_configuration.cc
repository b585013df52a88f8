#include "apiserver/access/followed_configuration.h"

#include "base/log.h"
#include "crypto/digest.h"

namespace proa::apiserver {
namespace followed_configuration {

using namespace std::chrono_literals;

const Log kLog{"apiserver"};

constexpr size_t kMaxBytes = 16 << 20;
// Upstream's: also looks at the file when nothing reported a change, as with links to other
// folders.
constexpr Duration kLookInterval = 1min;
// Upstream's UpdateAuthenticationConfigTimeout.
constexpr Duration kApplyTimeout = 1min;

// Upstream's getHash.
std::string hash_of(std::string_view text) {
  return text.empty() ? std::string() : "sha256:" + crypto::sha256(text).hex();
}

}  // namespace followed_configuration

FollowedConfiguration::FollowedConfiguration(Options options, Files& files, Clock& clock,
                                             Apply apply)
    : options_(std::move(options)),
      files_(files),
      clock_(clock),
      apply_(std::move(apply)),
      metrics_(options_.families, followed_configuration::hash_of(options_.server)),
      seen_(options_.file.text) {
  metrics_.configured(followed_configuration::hash_of(seen_));
}

Result<void> FollowedConfiguration::start() {
  const auto report = [this](const Status& why) {
    followed_configuration::kLog.warn(
        "watching a configuration file failed; it is read once a minute",
        {{"file", options_.file.path}, {"error", why}});
  };
  follower_ = TRY(FileFollower::start(
      options_.file.path, [this](const std::stop_token& stop) { return look(stop); }, report));
  return {};
}

Duration FollowedConfiguration::look(const std::stop_token& stop) {
  using namespace followed_configuration;  // NOLINT: of this file only
  if (options_.tidy != nullptr) options_.tidy();
  const Result<std::string> text = files_.read_file(options_.file.path, kMaxBytes);
  if (!text) {
    failed(text.status());
    return kLookInterval;
  }
  if (*text == seen_) {
    if (!seen_failed_) recovered();
    return kLookInterval;
  }
  const Result<bool> applied = apply_(*text, Until::after(clock_, kApplyTimeout, stop));
  if (!applied && stop.stop_requested()) return kLookInterval;
  if (!applied.is(Reason::kServiceUnavailable)) {
    seen_ = *text;
    seen_failed_ = !applied;
  }
  if (!applied) {
    failed(applied.status());
    return kLookInterval;
  }
  if (!*applied) {
    recovered();
    return kLookInterval;
  }
  last_failure_.clear();
  metrics_.configured(hash_of(*text));
  metrics_.reloaded(true, clock_.now());
  kLog.info("configuration reloaded",
            {{"subject", options_.subject}, {"file", options_.file.path}});
  return kLookInterval;
}

void FollowedConfiguration::recovered() {
  if (last_failure_.empty()) return;
  last_failure_.clear();
  followed_configuration::kLog.info("the configuration file has the configuration in force again",
                                    {{"subject", options_.subject}, {"file", options_.file.path}});
}

void FollowedConfiguration::failed(const Status& why) {
  metrics_.reloaded(false, clock_.now());
  // Once for each cause: some are tried again and again.
  if (why.message() == last_failure_) return;
  last_failure_ = why.message();
  followed_configuration::kLog.error(
      "reloading a configuration failed; the former one stays in force",
      {{"subject", options_.subject}, {"file", options_.file.path}, {"error", why}});
}

}  // namespace proa::apiserver
