#pragma once

#include <optional>

#include "apiserver/front/audit/backends/lane_options.h"
#include "apiserver/front/audit/backends/log_backend.h"
#include "apiserver/front/audit/backends/webhook_backend.h"
#include "apiserver/front/audit/events/policy.h"

namespace proa::apiserver::audit {

// --audit-log-*
struct LogOptions {
  RotationOptions file;
  EventFormat format = EventFormat::kJson;
  Mode mode = Mode::kBlocking;
  BatchOptions batch = {};
  TruncateOptions truncate = {};
};

// --audit-webhook-*
struct WebhookLogOptions {
  WebhookBackendOptions webhook;
  Mode mode = Mode::kBatch;
  BatchOptions batch = {.max_events = 400,
                        .max_wait = std::chrono::seconds(30),
                        .throttles = true,
                        .batches_per_second = 10,
                        .burst = 15};
  TruncateOptions truncate = {};
};

struct Options {
  Policy policy;
  std::optional<LogOptions> log = std::nullopt;
  std::optional<WebhookLogOptions> webhook = std::nullopt;
  // See LaneOptions. Of the log.
  Duration gather = std::chrono::milliseconds(2);
};

}  // namespace proa::apiserver::audit
