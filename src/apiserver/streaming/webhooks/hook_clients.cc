#include "apiserver/streaming/webhooks/hook_clients.h"

#include <algorithm>

namespace proa::apiserver {
namespace hook_clients {

Status stopping() { return {Reason::kServiceUnavailable, "the server is stopping"}; }

Status busy(const HookConfig& config) {
  StatusDetails details;
  details.retry_after_seconds = 1;
  return Status(Reason::kTooManyRequests,
                "too many requests wait for the webhook " + config.url + ", please try again later")
      .with_details(std::move(details));
}

}  // namespace hook_clients

HookClients::HookClients(Context context, const Limits& limits)
    : context_(std::move(context)), limits_(limits) {}

HookClients::~HookClients() { stop(); }

// Holds its place among those who wait.
class HookClients::Waiting final : public HookCall {
 public:
  Waiting(HookClients& hooks, HookPtr hook, const Bytes& json, Duration timeout)
      : hooks_(hooks), hook_(std::move(hook)), call_(hook_->client->begin(json, timeout)) {}
  ~Waiting() override { hooks_.leave(*hook_); }

  Result<Bytes> wait() override { return call_.wait(); }

 private:
  HookClients& hooks_;
  const HookPtr hook_;
  WebhookClient::Call call_;
};

Result<std::unique_ptr<HookCall>> HookClients::begin(const HookConfig& config, Bytes json,
                                                     Duration timeout) {
  HookPtr hook = TRY(enter(config));
  return std::unique_ptr<HookCall>(
      std::make_unique<Waiting>(*this, std::move(hook), json, timeout));
}

Result<HookClients::HookPtr> HookClients::make(const HookConfig& config) const {
  WebhookOptions options;
  options.connection.server = config.url;
  options.connection.authority_pem = config.authority_pem;
  options.answer_limit = limits_.answer_bytes;
  options.retries = WebhookRetries::kAsTold;
  options.repeats_status = true;
  options.dial = context_.dial;
  if (config.service) {
    options.find_origin = [this, service = *config.service] {
      return find_service(context_.objects, service, context_.webhooks.random, context_.egress);
    };
  }
  auto hook = std::make_shared<Hook>();
  hook->key = config.key();
  hook->client = TRY(WebhookClient::make(context_.webhooks, std::move(options)));
  return hook;
}

HookClients::HookPtr HookClients::find(const std::string& key) {
  const auto found = std::ranges::find(hooks_, key, [](const HookPtr& hook) { return hook->key; });
  if (found == hooks_.end()) return nullptr;
  hooks_.splice(hooks_.begin(), hooks_, found);
  return hooks_.front();
}

Result<void> HookClients::count(Hook& hook) {
  if (stopped_) return hook_clients::stopping();
  ++hook.calls;
  ++calls_;
  return {};
}

Result<HookClients::HookPtr> HookClients::enter(const HookConfig& config) {
  const std::string key = config.key();
  {
    MutexLock lock(mutex_);
    if (calls_ >= limits_.calls) return hook_clients::busy(config);
    if (const HookPtr known = find(key)) {
      if (known->calls >= limits_.calls_per_hook) return hook_clients::busy(config);
      TRY(count(*known));
      return known;
    }
  }
  // Reads certificates, so not under the lock; the other one goes if somebody was faster.
  HookPtr made = TRY(make(config));
  HookPtr dropped;  // its connections are closed without the lock
  MutexLock lock(mutex_);
  HookPtr hook = find(key);
  if (hook == nullptr) {
    hooks_.push_front(made);
    hook = std::move(made);
    if (hooks_.size() > limits_.clients) {
      dropped = std::move(hooks_.back());
      hooks_.pop_back();
    }
  }
  TRY(count(*hook));
  return hook;
}

void HookClients::leave(Hook& hook) {
  MutexLock lock(mutex_);
  --hook.calls;
  --calls_;
}

void HookClients::stop() {
  std::list<HookPtr> hooks;
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    hooks = hooks_;
  }
  for (const HookPtr& hook : hooks) hook->client->stop();
}

}  // namespace proa::apiserver
