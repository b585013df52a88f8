#include "cli/credentials/renewal.h"

#include "base/encoding.h"
#include "base/log.h"
#include "cli/credentials/certificates.h"
#include "cli/credentials/kubeconfig.h"
#include "crypto/certificate.h"

namespace proa::cli {
namespace renewal {

const Log kLog{"cli"};

// How soon a clock change is noticed: a machine without a battery gets its date some seconds after
// startup, and until then creates expired certificates.
constexpr Duration kPollInterval = std::chrono::seconds(10);
constexpr Duration kCheckInterval = std::chrono::hours(24);
constexpr Duration kRetryInterval = std::chrono::hours(1);
// Smaller differences are ordinary clock adjustments.
constexpr Duration kClockJump = std::chrono::minutes(1);
constexpr size_t kMaxKubeconfig = 1024 * 1024;
constexpr size_t kMaxCertificate = 64 * 1024;
// Certificates are renewed 30 days before they expire.
constexpr Duration kAlarmBefore = std::chrono::hours(7 * 24);

Duration calendar_offset(const Clock& clock) {
  return clock.now().time_since_epoch() - clock.steady().time_since_epoch();
}

// Only if its certificate differs: other edits by users are kept until the next start.
Result<void> refresh_kubeconfig(Files& files, const Renewal::Options& options,
                                const Certificates& certificates) {
  const auto text = files.read_file(options.kubeconfig, kMaxKubeconfig);
  if (!text && !text.is(Reason::kNotFound)) return text.status();
  if (text && text->find(to_base64(certificates.admin_certificate_pem)) != std::string::npos) {
    return {};
  }
  TRY(files.write_file_atomic(
      options.kubeconfig,
      make_kubeconfig({.server = options.server,
                       .authority_pem = certificates.authority_pem,
                       .client_certificate_pem = certificates.admin_certificate_pem,
                       .client_key_pem = certificates.admin_key_pem}),
      0600));
  kLog.info("kubeconfig renewed", {{"file", options.kubeconfig}});
  return {};
}

}  // namespace renewal

Renewal::Renewal(Files& files, Clock& clock, Options options)
    : files_(files),
      clock_(clock),
      options_(std::move(options)),
      // The date may have been set since startup.
      next_look_(clock.steady()),
      calendar_offset_(renewal::calendar_offset(clock)) {}

Renewal::~Renewal() {
  MutexLock lock(mutex_);
  stopping_ = true;
  stopped_.notify_all();
}

bool Renewal::pause() {
  const Steady end = clock_.steady() + renewal::kPollInterval;
  MutexLock lock(mutex_);
  while (!stopping_ && clock_.steady() < end) clock_.wait_until(stopped_, mutex_, end);
  return !stopping_;
}

bool Renewal::is_due() {
  const Duration offset = renewal::calendar_offset(clock_);
  const Duration moved = offset - calendar_offset_;
  const bool jumped = moved > renewal::kClockJump || moved < -renewal::kClockJump;
  if (!jumped && clock_.steady() < next_look_) return false;
  calendar_offset_ = offset;
  return true;
}

Result<void> Renewal::look() {
  const Certificates certificates =
      TRY(ensure_certificates(files_, clock_, options_.directory, options_.names));
  if (certificates.created) {
    renewal::kLog.info("certificate renewed", {{"file", certificates.server_certificate}});
  }
  const bool renewed =
      certificates.kubelet_client_created || certificates.front_proxy_client_created;
  if (renewed && options_.clients_renewed) {
    options_.clients_renewed(certificates);
  }
  if (!options_.node_name.empty()) {
    TRY(ensure_node_certificate(files_, clock_, options_.directory, options_.node_name,
                                options_.node_names));
  }
  return renewal::refresh_kubeconfig(files_, options_, certificates);
}

void Renewal::note_expiry() {
  std::optional<Expiry> first;
  for (const char* name :
       {"authority.crt", "server.crt", "admin.crt", "kubelet.crt", "front-proxy-client.crt"}) {
    const std::string file = options_.directory + "/" + name;
    const auto text = files_.read_file(file, renewal::kMaxCertificate);
    const auto certificate =
        text ? crypto::Certificate::parse(*text) : Result<crypto::Certificate>(text.status());
    if (!certificate) continue;
    if (!first || certificate->not_after() < first->at) first = {file, certificate->not_after()};
  }
  MutexLock lock(mutex_);
  first_expiry_ = std::move(first);
}

Result<void> Renewal::health() const {
  MutexLock lock(mutex_);
  if (!first_expiry_ || clock_.now() + renewal::kAlarmBefore < first_expiry_->at) return {};
  return Status(Reason::kServiceUnavailable,
                first_expiry_->file +
                    (first_expiry_->at <= clock_.now() ? " expired at " : " expires at ") +
                    format_time(first_expiry_->at) + "; the log says why it was not renewed");
}

bool Renewal::poll() {
  if (!is_due()) return false;
  const Result<void> looked = look();
  if (!looked.ok()) {
    renewal::kLog.warn("renewing certificates failed", {{"error", looked.status()}});
  }
  note_expiry();
  next_look_ = clock_.steady() + (looked.ok() ? renewal::kCheckInterval : renewal::kRetryInterval);
  return true;
}

void Renewal::start() {
  note_expiry();
  thread_ = std::jthread([this] { run(); });
}

void Renewal::run() {
  while (pause()) poll();
}

}  // namespace proa::cli
