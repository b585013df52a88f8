#include "apiserver/streaming/webhooks/hook_clients.h"

#include <algorithm>

#include "apiserver/streaming/origins.h"

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
  Waiting(HookClients& hooks, Place place, Bytes json, Duration timeout)
      : hooks_(hooks),
        place_(std::move(place)),
        json_(std::move(json)),
        deadline_(hooks.context_.webhooks.clock.steady() + timeout) {
    if (place_.is_sent) send(timeout);
  }
  ~Waiting() override {
    call_.reset();
    hooks_.leave(place_);
  }

  // A caller may have begun several: while it waits for the turn of one it has no turn with those
  // before it, as it has waited for them. So callers never wait for each other in a circle.
  Result<Bytes> wait() override {
    if (!place_.is_sent) {
      const Duration left = TRY(hooks_.take_turn(*place_.hook, deadline_));
      place_.is_sent = true;
      send(left);
    }
    return call_->wait();
  }
  Duration took() const override { return call_ == nullptr ? Duration(0) : call_->took(); }

 private:
  void send(Duration timeout) {
    call_.reset(new WebhookClient::Call(place_.hook->client->begin(json_, timeout)));
    json_ = {};
  }

  HookClients& hooks_;
  Place place_;
  Bytes json_;
  const Steady deadline_;
  std::unique_ptr<WebhookClient::Call> call_;  // null: not sent yet
};

Result<std::unique_ptr<HookCall>> HookClients::begin(const HookConfig& config, Bytes json,
                                                     Duration timeout) {
  Place place = TRY(enter(config));
  return std::unique_ptr<HookCall>(
      std::make_unique<Waiting>(*this, std::move(place), std::move(json), timeout));
}

Result<HookClients::HookPtr> HookClients::make(const HookConfig& config) const {
  WebhookOptions options;
  if (config.credentials != nullptr) options.connection = *config.credentials;
  options.connection.server = config.url;
  options.connection.authority_pem = config.authority_pem;
  options.answer_limit = limits_.answer_bytes;
  options.retries = WebhookRetries::kAsTold;
  options.repeats_status = true;
  options.authority_field = "caBundle";
  // As upstream's setGlobalDefaults: by this, webhooks tell the API server from other clients.
  options.user_agent = "kube-apiserver-admission";
  options.dial = context_.dial;
  if (config.service) {
    options.check_address = check_external_name;
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

HookClients::HookPtr HookClients::take_idle() {
  // Those that are called stay: stop() must find them.
  const auto idle = std::find_if(hooks_.rbegin(), hooks_.rend(),
                                 [](const HookPtr& hook) { return hook->calls == 0; });
  if (idle == hooks_.rend()) return nullptr;
  HookPtr taken = std::move(*idle);
  hooks_.erase(std::next(idle).base());
  return taken;
}

Result<HookClients::Place> HookClients::count(HookPtr hook, const HookConfig& config) {
  if (stopped_) return hook_clients::stopping();
  if (calls_ >= limits_.calls || hook->calls >= limits_.calls_per_hook + limits_.queued_per_hook)
    return hook_clients::busy(config);
  ++hook->calls;
  ++calls_;
  // Nobody overtakes those who wait.
  const bool is_sent = hook->sent + hook->blocked < limits_.calls_per_hook;
  if (is_sent) ++hook->sent;
  return Place{std::move(hook), is_sent};
}

Result<HookClients::Place> HookClients::enter(const HookConfig& config) {
  const std::string key = config.key();
  {
    MutexLock lock(mutex_);
    if (calls_ >= limits_.calls) return hook_clients::busy(config);
    if (HookPtr known = find(key)) return count(std::move(known), config);
  }
  // Reads certificates, so not under the lock; the other one goes if somebody was faster.
  HookPtr made = TRY(make(config));
  HookPtr dropped;  // its connections are closed without the lock
  MutexLock lock(mutex_);
  HookPtr hook = find(key);
  if (hook == nullptr) {
    if (hooks_.size() >= limits_.clients) dropped = take_idle();
    hooks_.push_front(made);
    hook = std::move(made);
  }
  return count(std::move(hook), config);
}

Result<Duration> HookClients::take_turn(Hook& hook, Steady deadline) {
  Clock& clock = context_.webhooks.clock;
  MutexLock lock(mutex_);
  ++hook.blocked;
  while (!stopped_ && hook.sent >= limits_.calls_per_hook && clock.steady() < deadline) {
    clock.wait_until(hook.ended, mutex_, deadline);
  }
  --hook.blocked;
  const Duration left = deadline - clock.steady();
  if (!stopped_ && hook.sent < limits_.calls_per_hook && left > Duration::zero()) {
    ++hook.sent;
    return left;
  }
  hook.ended.notify_one();  // it may have been this thread that was told
  if (stopped_) return hook_clients::stopping();
  return Status(Reason::kTimeout, "Post \"" + hook.client->name() +
                                      "\": context deadline exceeded: other requests kept the "
                                      "webhook busy");
}

void HookClients::leave(const Place& place) {
  MutexLock lock(mutex_);
  --place.hook->calls;
  --calls_;
  if (!place.is_sent) return;
  --place.hook->sent;
  place.hook->ended.notify_one();
}

void HookClients::stop() {
  std::list<HookPtr> hooks;
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    hooks = hooks_;
    for (const HookPtr& hook : hooks_) hook->ended.notify_all();
  }
  for (const HookPtr& hook : hooks) hook->client->stop();
}

}  // namespace proa::apiserver
