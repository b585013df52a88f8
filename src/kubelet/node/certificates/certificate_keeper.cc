#include "kubelet/node/certificates/certificate_keeper.h"

#include "base/log.h"
#include "client/informer/backoff.h"
#include "crypto/certificate.h"

namespace proa::kubelet {
namespace certificate_keeper {

const Log kLog{"kubelet"};

// How long upstream waits for a signature before it sends a new request.
constexpr Duration kPatience = std::chrono::minutes(15);
constexpr client::Backoff kBackoff{
    .first = std::chrono::seconds(2), .most = std::chrono::seconds(128), .jitter = 0.1};
constexpr Duration kRefusedPause = std::chrono::minutes(10);
// The system clock may be set: it is checked at intervals, however far away the renewal is.
constexpr Duration kLongestSleep = std::chrono::hours(1);

}  // namespace certificate_keeper

void CertificateKeeper::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void CertificateKeeper::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void CertificateKeeper::run(const std::stop_token& stop) {
  const std::stop_callback stopped(stop, [this] {
    MutexLock lock(mutex_);
    changed_.notify_all();
  });
  Time next = due();
  for (int failures = 0; wait_until(next, stop);) {
    const Result<void> renewed = renew(stop);
    if (renewed) {
      failures = 0;
      next = due();
      continue;
    }
    if (stop.stop_requested()) return;
    certificate_keeper::kLog.warn("certificate renewal failed, retrying",
                                  {{"path", context_.path}, {"error", renewed.status()}});
    // A request that was denied, or that no signer may sign: the same again soon has no chance.
    const bool refused = renewed.is(Reason::kForbidden) || renewed.is(Reason::kInvalid);
    next = context_.clock.now() +
           (refused ? certificate_keeper::kRefusedPause
                    : certificate_keeper::kBackoff.after(++failures, context_.random));
  }
}

Time CertificateKeeper::due() const {
  const Result<crypto::CertifiedKey> pair = read_certified_key(context_.files, context_.path);
  if (!pair) return Time::min();
  const auto certificate = crypto::Certificate::parse(pair->certificate_pem);
  if (!certificate || is_own_making(*certificate, context_.node_name) ||
      !covers_names(*certificate, context_.wish.identity)) {
    return Time::min();
  }
  const auto identity = certificate->identity();
  if (!identity || identity->common_name != context_.wish.identity.common_name) return Time::min();
  return renewal_time(certificate->not_before(), certificate->not_after(), context_.random);
}

bool CertificateKeeper::wait_until(Time due, const std::stop_token& stop) {
  MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    const Time now = context_.clock.now();
    if (now >= due) return true;
    const Duration left = std::min(due - now, certificate_keeper::kLongestSleep);
    context_.clock.wait_until(changed_, mutex_, context_.clock.steady() + left);
  }
  return false;
}

Result<void> CertificateKeeper::renew(const std::stop_token& stop) {
  const crypto::CertifiedKey pair =
      TRY(have_signed(context_.client, context_.schema, context_.clock, context_.wish,
                      Until::after(context_.clock, certificate_keeper::kPatience, stop)));
  TRY(write_certified_key(context_.files, context_.path, pair));
  certificate_keeper::kLog.info("certificate renewed", {{"path", context_.path}});
  if (context_.renewed) context_.renewed(pair);
  return {};
}

}  // namespace proa::kubelet
