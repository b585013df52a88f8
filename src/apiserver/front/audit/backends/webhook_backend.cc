#include "apiserver/front/audit/backends/webhook_backend.h"

namespace proa::apiserver::audit {
namespace webhook_backend {

// As upstream's DefaultRetryBackoffWithInitialDelay: five attempts, factor 1.5, 20 % jitter.
constexpr int kAttempts = 5;
constexpr uint64_t kJitterParts = 1000;

std::string event_list(std::span<const std::string> texts) {
  std::string list =
      R"({"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[)";
  for (const std::string& text : texts) {
    if (list.back() != '[') list += ',';
    list += text;
  }
  list += "]}\n";
  return list;
}

}  // namespace webhook_backend

Result<std::unique_ptr<WebhookBackend>> WebhookBackend::make(const WebhookContext& context,
                                                             const WebhookBackendOptions& options) {
  // Retries are this backend's own: they last longer than a review may.
  WebhookOptions webhook{.connection = options.connection};
  webhook.retries = WebhookRetries::kAsTold;
  webhook.accepts_empty = true;
  auto client = TRY(WebhookClient::make(context, std::move(webhook)));
  return std::unique_ptr<WebhookBackend>(
      new WebhookBackend(context, std::move(client), options.initial_backoff));
}

std::string WebhookBackend::text_of(const Event& event, WithObjects objects) const {
  return event_json(event, WithType::kNo, objects);
}

bool WebhookBackend::pause(Duration how_long) {
  const Steady until = context_.clock.steady() + how_long;
  MutexLock lock(mutex_);
  while (!hurries_ && context_.clock.steady() < until) {
    context_.clock.wait_until(hurried_, mutex_, until);
  }
  return !hurries_;
}

void WebhookBackend::hurry() {
  MutexLock lock(mutex_);
  hurries_ = true;
  hurried_.notify_all();
}

Result<void> WebhookBackend::write(std::span<const std::string> texts) {
  const Bytes list(webhook_backend::event_list(texts));
  Duration backoff = initial_backoff_;
  for (int attempt = 1;; ++attempt) {
    const Result<Bytes> answer = client_->post(list);
    if (answer) return {};
    if (attempt == webhook_backend::kAttempts) return answer.status();
    const auto jitter = static_cast<int64_t>(context_.random.below(webhook_backend::kJitterParts));
    const Duration more =
        backoff / 5 * jitter / static_cast<int64_t>(webhook_backend::kJitterParts);
    if (!pause(backoff + more)) return answer.status();
    backoff = backoff * 3 / 2;
  }
}

}  // namespace proa::apiserver::audit
