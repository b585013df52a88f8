#pragma once

#include <memory>

#include "apiserver/access/webhook/webhook_client.h"
#include "apiserver/front/audit/backends/backend.h"
#include "base/threads/mutex.h"

namespace proa::apiserver::audit {

struct WebhookBackendOptions {
  client::Connection connection;                        // --audit-webhook-config-file
  Duration initial_backoff = std::chrono::seconds(10);  // --audit-webhook-initial-backoff
};

// Posts an EventList per batch. Any failure is tried again, a few times with growing pauses, as
// upstream's. Thread-safe.
class WebhookBackend final : public Backend {
 public:
  static Result<std::unique_ptr<WebhookBackend>> make(const WebhookContext& context,
                                                      const WebhookBackendOptions& options);

  Plugin plugin() const override { return Plugin::kWebhook; }
  std::string text_of(const Event& event, WithObjects objects) const override;
  Result<void> write(std::span<const std::string> texts) override EXCLUDES(mutex_);
  void hurry() override EXCLUDES(mutex_);
  void cancel() override { client_->stop(); }

 private:
  WebhookBackend(const WebhookContext& context, std::unique_ptr<WebhookClient> client,
                 Duration initial_backoff)
      : context_(context), client_(std::move(client)), initial_backoff_(initial_backoff) {}

  // False if the server stops.
  bool pause(Duration how_long) EXCLUDES(mutex_);

  const WebhookContext context_;
  const std::unique_ptr<WebhookClient> client_;
  const Duration initial_backoff_;
  Mutex mutex_;
  CondVar hurried_;
  bool hurries_ GUARDED_BY(mutex_) = false;
};

}  // namespace proa::apiserver::audit
