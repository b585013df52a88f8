#include "apiserver/access/authn/jwt/issuer_keys.h"

#include <algorithm>
#include <stop_token>

#include "api/object/view.h"
#include "api/validation/go_text.h"
#include "apiserver/access/authn/jwt/document_fetch.h"
#include "base/log.h"
#include "base/threads/mutex.h"
#include "json/parse.h"

namespace proa::apiserver {
namespace issuer_keys {

const Log kLog{"apiserver"};

// Typical documents have a few kilobytes.
constexpr size_t kMaxDiscoveryBytes = 256 * 1024;
constexpr size_t kMaxKeysBytes = 1024 * 1024;

Status failed(std::string why) { return {Reason::kServiceUnavailable, std::move(why)}; }

// Returns the URL of the keys from a discovery document.
Result<http::Url> keys_url(std::string_view document, std::string_view issuer) {
  const json::Document parsed = TRY(json::parse(document));
  const api::View provider = parsed.root();
  const std::string_view named = provider["issuer"].text();
  if (named != issuer) {
    return failed("oidc: issuer did not match the issuer returned by provider, expected " +
                  api::quoted(issuer) + " got " + api::quoted(named));
  }
  const std::string_view place = provider["jwks_uri"].text();
  if (place.empty()) return failed("provider did not return JWKS URL");
  http::Url url = TRY(http::parse_url(place));
  if (!url.has_tls()) return failed("the JWKS URL of the provider is not https");
  return url;
}

http::ClientOptions client_options(const IssuerKeys::Source& source) {
  http::ClientOptions options;
  options.pool.tls = source.tls;
  return options;
}

}  // namespace issuer_keys

// The cached keys and the fetch in progress. An attempt fetches both documents in sequence;
// responses to an abandoned attempt are recognized by its number and ignored.
class IssuerKeys::State : public std::enable_shared_from_this<State> {
 public:
  State(http::Client& client, Clock& clock, Source source)
      : client_(client), clock_(clock), source_(std::move(source)) {}

  Keys known() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    give_up_stalled();
    if (keys_ == nullptr || clock_.steady() - fetched_ >= kMaxAge) begin_if_due();
    return keys_;
  }

  void renew() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    give_up_stalled();
    begin_if_due();
  }

  bool can_wait() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return !stopped_ && waiting_ < kMaxWaiters && (call_ != nullptr || is_due());
  }

  Keys renewed(const Keys& known) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (keys_ != known) return keys_;
    give_up_stalled();
    begin_if_due();
    if (call_ != nullptr && waiting_ < kMaxWaiters) wait();
    return keys_;
  }

  bool await_first(const Until& until) EXCLUDES(mutex_) {
    const std::stop_callback wake(until.stop, [this] {
      MutexLock lock(mutex_);
      changed_.notify_all();
    });
    MutexLock lock(mutex_);
    while (keys_ == nullptr && !stopped_ && !until.stop.stop_requested() &&
           clock_.steady() < until.deadline) {
      give_up_stalled();
      begin_if_due();
      const Duration patience = call_ != nullptr ? kFetchTimeout : kMinFetchInterval;
      clock_.wait_until(changed_, mutex_, std::min(began_ + patience, until.deadline));
    }
    return keys_ != nullptr;
  }

  void stop() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    stopped_ = true;
    if (call_ != nullptr) call_->cancel();
    end_attempt();
  }

 private:
  bool is_due() const REQUIRES(mutex_) {
    return attempt_ == 0 || clock_.steady() - began_ >= kMinFetchInterval;
  }

  void begin_if_due() REQUIRES(mutex_) {
    if (stopped_ || call_ != nullptr || !is_due()) return;
    ++attempt_;
    began_ = clock_.steady();
    if (keys_url_) return fetch_keys();
    call_ = fetch_document(
        client_, source_.discovery, issuer_keys::kMaxDiscoveryBytes,
        [self = shared_from_this(), attempt = attempt_](const Result<std::string>& document) {
          self->discovered(attempt, document);
        });
  }

  void fetch_keys() REQUIRES(mutex_) {
    call_ = fetch_document(
        client_, *keys_url_, issuer_keys::kMaxKeysBytes,
        [self = shared_from_this(), attempt = attempt_](const Result<std::string>& document) {
          self->fetched(attempt, document);
        });
  }

  void discovered(uint64_t attempt, const Result<std::string>& document) EXCLUDES(mutex_) {
    const Result<http::Url> url = document.ok() ? issuer_keys::keys_url(*document, source_.issuer)
                                                : Result<http::Url>(document.status());
    MutexLock lock(mutex_);
    if (!is_current(attempt)) return;
    if (!url.ok()) return fail(url.status());
    keys_url_ = *url;
    fetch_keys();
  }

  void fetched(uint64_t attempt, const Result<std::string>& document) EXCLUDES(mutex_) {
    Result<JsonWebKeys> keys =
        document.ok() ? JsonWebKeys::parse(*document) : Result<JsonWebKeys>(document.status());
    MutexLock lock(mutex_);
    if (!is_current(attempt)) return;
    if (!keys.ok()) return fail(keys.status().in("oidc: get keys failed"));
    if (keys_ == nullptr) {
      issuer_keys::kLog.info("OIDC keys fetched",
                             {{"issuer", source_.issuer}, {"keys", keys->size()}});
    }
    keys_ = std::make_shared<const JsonWebKeys>(std::move(*keys));
    fetched_ = clock_.steady();
    end_attempt();
  }

  bool is_current(uint64_t attempt) const REQUIRES(mutex_) {
    return call_ != nullptr && attempt == attempt_;
  }

  void fail(const Status& why) REQUIRES(mutex_) {
    issuer_keys::kLog.warn("OIDC key fetch failed", {{"issuer", source_.issuer}, {"error", why}});
    // The keys may have moved.
    keys_url_.reset();
    end_attempt();
  }

  void give_up_stalled() REQUIRES(mutex_) {
    if (call_ == nullptr || clock_.steady() - began_ < kFetchTimeout) return;
    call_->cancel();
    fail(issuer_keys::failed("the issuer did not answer in time"));
  }

  void end_attempt() REQUIRES(mutex_) {
    call_ = nullptr;
    changed_.notify_all();
  }

  // Waits for the attempt in progress to end.
  void wait() REQUIRES(mutex_) {
    const uint64_t attempt = attempt_;
    const Steady deadline = clock_.steady() + kMaxWait;
    ++waiting_;
    while (is_current(attempt) && clock_.steady() < deadline) {
      clock_.wait_until(changed_, mutex_, deadline);
    }
    --waiting_;
  }

  http::Client& client_;  // not used after stop()
  Clock& clock_;
  const Source source_;
  mutable Mutex mutex_;
  CondVar changed_;
  Keys keys_ GUARDED_BY(mutex_);
  Steady fetched_ GUARDED_BY(mutex_);
  std::optional<http::Url> keys_url_ GUARDED_BY(mutex_);  // as discovered
  uint64_t attempt_ GUARDED_BY(mutex_) = 0;               // number of the last one started
  Steady began_ GUARDED_BY(mutex_);
  std::shared_ptr<http::ClientCall> call_ GUARDED_BY(mutex_);  // null: no fetch in progress
  int waiting_ GUARDED_BY(mutex_) = 0;
  bool stopped_ GUARDED_BY(mutex_) = false;
};

IssuerKeys::IssuerKeys(http::LoopGroup& loops, Clock& clock, Source source)
    : client_(loops, clock, issuer_keys::client_options(source)),
      state_(std::make_shared<State>(client_, clock, std::move(source))) {
  state_->renew();
}

IssuerKeys::~IssuerKeys() { stop(); }

IssuerKeys::Keys IssuerKeys::known() { return state_->known(); }
void IssuerKeys::renew() { state_->renew(); }
bool IssuerKeys::can_wait() const { return state_->can_wait(); }
IssuerKeys::Keys IssuerKeys::renewed(const Keys& known) { return state_->renewed(known); }
bool IssuerKeys::await_first(const Until& until) { return state_->await_first(until); }
void IssuerKeys::stop() { state_->stop(); }

}  // namespace proa::apiserver
