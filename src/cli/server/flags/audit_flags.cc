#include "cli/server/flags/audit_flags.h"

#include <charconv>

#include "apiserver/front/audit/events/policy_file.h"
#include "client/kubeconfig.h"

namespace proa::cli {
namespace audit_flags_file {

namespace audit = apiserver::audit;

constexpr size_t kMaxBytes = 4 << 20;  // of a policy
constexpr int64_t kMegabyte = 1 << 20;
constexpr std::string_view kVersion = "audit.k8s.io/v1";

// The flags that both backends have.
struct Names {
  std::string_view plugin;
  std::string_view mode;
  std::string_view version;
  std::string_view buffer_size;
  std::string_view max_size;
  std::string_view max_wait;
  std::string_view throttles;
  std::string_view rate;
  std::string_view burst;
  std::string_view truncates;
  std::string_view max_batch;
  std::string_view max_event;
};

constexpr Names kOfLog{"log",
                       "audit-log-mode",
                       "audit-log-version",
                       "audit-log-batch-buffer-size",
                       "audit-log-batch-max-size",
                       "audit-log-batch-max-wait",
                       "audit-log-batch-throttle-enable",
                       "audit-log-batch-throttle-qps",
                       "audit-log-batch-throttle-burst",
                       "audit-log-truncate-enabled",
                       "audit-log-truncate-max-batch-size",
                       "audit-log-truncate-max-event-size"};
constexpr Names kOfWebhook{"webhook",
                           "audit-webhook-mode",
                           "audit-webhook-version",
                           "audit-webhook-batch-buffer-size",
                           "audit-webhook-batch-max-size",
                           "audit-webhook-batch-max-wait",
                           "audit-webhook-batch-throttle-enable",
                           "audit-webhook-batch-throttle-qps",
                           "audit-webhook-batch-throttle-burst",
                           "audit-webhook-truncate-enabled",
                           "audit-webhook-truncate-max-batch-size",
                           "audit-webhook-truncate-max-event-size"};

Status wrong(std::string message) { return {Reason::kInvalid, std::move(message)}; }

Flag number_flag(std::string_view name, std::string_view word, uint64_t fallback,
                 std::string_view summary, int64_t least) {
  return {.name = name,
          .kind = ValueKind::kNumber,
          .word = word,
          .fallback = std::to_string(fallback),
          .summary = summary,
          .least = least};
}

Flag switch_flag(std::string_view name, bool fallback, std::string_view summary) {
  return {.name = name,
          .kind = ValueKind::kSwitch,
          .fallback = fallback ? "true" : "false",
          .summary = summary};
}

std::string mode_name(audit::Mode mode) {
  if (mode == audit::Mode::kBatch) return "batch";
  return mode == audit::Mode::kBlocking ? "blocking" : "blocking-strict";
}

void add_common_flags(const Names& names, audit::Mode mode, const audit::BatchOptions& batch,
                      std::vector<Flag>& flags) {
  const audit::TruncateOptions truncate;
  flags.push_back({.name = names.mode,
                   .kind = ValueKind::kChoice,
                   .word = "MODE",
                   .fallback = mode_name(mode),
                   .summary = "whether requests wait for their events, or events are dropped if "
                              "there are too many",
                   .choices = {"batch", "blocking", "blocking-strict"}});
  flags.push_back({.name = names.version,
                   .kind = ValueKind::kChoice,
                   .word = "VERSION",
                   .fallback = std::string(kVersion),
                   .summary = "API version of the events",
                   .choices = {kVersion}});
  flags.push_back(number_flag(names.buffer_size, "COUNT", batch.buffer_events,
                              "events that may wait, beyond which they are dropped (mode batch)",
                              1));
  flags.push_back(
      number_flag(names.max_size, "COUNT", batch.max_events, "events of a batch (mode batch)", 1));
  flags.push_back({.name = names.max_wait,
                   .kind = ValueKind::kDuration,
                   .word = "TIME",
                   .fallback = format_duration(batch.max_wait),
                   .summary = "how long a batch waits until it is full (mode batch)"});
  flags.push_back(switch_flag(names.throttles, batch.throttles,
                              "limit how many batches are sent per second (mode batch)"));
  flags.push_back({.name = names.rate,
                   .word = "RATE",
                   .fallback = "10",
                   .summary = "batches per second on average (mode batch)"});
  flags.push_back(number_flag(names.burst, "COUNT", batch.burst,
                              "batches at once if there were none before (mode batch)", 1));
  flags.push_back(switch_flag(names.truncates, truncate.enabled,
                              "leave out objects of large events, and split large batches"));
  flags.push_back(number_flag(names.max_batch, "BYTES", truncate.max_batch_bytes,
                              "largest batch when truncating", 1));
  flags.push_back(number_flag(names.max_event, "BYTES", truncate.max_event_bytes,
                              "largest event when truncating; larger ones lose their objects, or "
                              "are dropped",
                              1));
}

audit::Mode read_mode(const std::string& word) {
  if (word == "batch") return audit::Mode::kBatch;
  return word == "blocking" ? audit::Mode::kBlocking : audit::Mode::kBlockingStrict;
}

Result<double> read_rate(const Settings& settings, std::string_view name) {
  const std::string& text = settings.text(name);
  double rate = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rate);
  if (error != std::errc() || end != text.data() + text.size() || !(rate > 0) || rate > 1e6)
    return wrong("--" + std::string(name) + " must be a positive number, not " + text);
  return rate;
}

Result<audit::BatchOptions> read_batch(const Settings& settings, const Names& names) {
  audit::BatchOptions batch;
  batch.buffer_events = static_cast<size_t>(settings.number(names.buffer_size));
  batch.max_events = static_cast<size_t>(settings.number(names.max_size));
  batch.max_wait = settings.duration(names.max_wait);
  batch.throttles = settings.on(names.throttles);
  batch.batches_per_second = TRY(read_rate(settings, names.rate));
  batch.burst = static_cast<size_t>(settings.number(names.burst));
  return batch;
}

Result<audit::TruncateOptions> read_truncate(const Settings& settings, const Names& names) {
  audit::TruncateOptions truncate;
  truncate.enabled = settings.on(names.truncates);
  truncate.max_batch_bytes = static_cast<size_t>(settings.number(names.max_batch));
  truncate.max_event_bytes = static_cast<size_t>(settings.number(names.max_event));
  if (truncate.max_batch_bytes < truncate.max_event_bytes) {
    return wrong("--" + std::string(names.max_batch) + " must not be less than --" +
                 std::string(names.max_event));
  }
  return truncate;
}

// Before anything is started, rather than when the file is opened.
Result<void> check_log_path(const std::string& path, Files& files) {
  if (path.empty() || path == "-") return {};
  const Result<bool> exists = files.exists(path);
  const bool names_folder =
      path.ends_with('/') || (exists.ok() && *exists && files.list(path).ok());
  if (!names_folder) return {};
  return wrong("--audit-log-path: " + path + " is a directory; give the path of a file, such as " +
               path + (path.ends_with('/') ? "" : "/") + "audit.log");
}

Result<std::optional<audit::LogOptions>> read_log(const Settings& settings, Files& files) {
  audit::LogOptions log;
  log.file.path = settings.text("audit-log-path");
  log.file.max_age_days = static_cast<int>(settings.number("audit-log-maxage"));
  log.file.max_backups = static_cast<int>(settings.number("audit-log-maxbackup"));
  log.file.max_bytes = static_cast<uint64_t>(settings.number("audit-log-maxsize") * kMegabyte);
  log.file.compresses = settings.on("audit-log-compress");
  log.format = settings.text("audit-log-format") == "legacy" ? audit::EventFormat::kLegacy
                                                             : audit::EventFormat::kJson;
  log.mode = read_mode(settings.text(kOfLog.mode));
  log.batch = TRY(read_batch(settings, kOfLog));
  log.truncate = TRY(read_truncate(settings, kOfLog));
  TRY(check_log_path(log.file.path, files));
  if (log.file.path.empty()) return std::optional<audit::LogOptions>();
  return std::optional(std::move(log));
}

Result<std::optional<audit::WebhookLogOptions>> read_webhook(const Settings& settings,
                                                             Files& files) {
  audit::WebhookLogOptions webhook;
  webhook.webhook.initial_backoff = settings.duration("audit-webhook-initial-backoff");
  webhook.mode = read_mode(settings.text(kOfWebhook.mode));
  webhook.batch = TRY(read_batch(settings, kOfWebhook));
  webhook.truncate = TRY(read_truncate(settings, kOfWebhook));
  const std::string& path = settings.text("audit-webhook-config-file");
  if (path.empty()) return std::optional<audit::WebhookLogOptions>();
  Result<client::Connection> connection = client::read_kubeconfig(files, path);
  if (!connection) return connection.status().in("--audit-webhook-config-file");
  webhook.webhook.connection = std::move(*connection);
  return std::optional(std::move(webhook));
}

Result<audit::Policy> read_policy_file(const std::string& path, Files& files,
                                       std::vector<std::string>& warnings) {
  constexpr std::string_view kFlag = "--audit-policy-file";
  const Result<std::string> text = files.read_file(path, kMaxBytes);
  if (!text) return text.status().in(kFlag);
  std::vector<std::string> ignored;
  Result<audit::Policy> policy = audit::read_policy(*text, ignored);
  if (!policy) return policy.status().in(std::string(kFlag) + ": " + path);
  for (const std::string& problem : ignored) {
    warnings.push_back(std::string(kFlag) + ": " + path +
                       ": the audit policy has an error, which is ignored: " + problem);
  }
  return policy;
}

}  // namespace audit_flags_file

std::vector<Flag> audit_flags() {
  using namespace audit_flags_file;  // NOLINT: of this file only
  const audit::RotationOptions rotation;
  std::vector<Flag> flags{
      {.name = "audit-policy-file",
       .kind = ValueKind::kFile,
       .word = "FILE",
       .fallback = {},
       .summary = "Policy of audit.k8s.io/v1 that says which requests are audited, and how"},
      {.name = "audit-log-path",
       .word = "FILE",
       .fallback = {},
       .summary = "file of audit events; - for standard output"},
      number_flag("audit-log-maxage", "DAYS", static_cast<uint64_t>(rotation.max_age_days),
                  "age at which old audit logs are removed; 0 for never", 0),
      number_flag("audit-log-maxbackup", "COUNT", static_cast<uint64_t>(rotation.max_backups),
                  "old audit logs to keep; 0 for all", 0),
      number_flag("audit-log-maxsize", "MEGABYTES",
                  rotation.max_bytes / static_cast<uint64_t>(kMegabyte),
                  "size at which the audit log is rotated; 0 for never", 0),
      switch_flag("audit-log-compress", rotation.compresses, "compress old audit logs with gzip"),
      {.name = "audit-log-format",
       .kind = ValueKind::kChoice,
       .word = "FORMAT",
       .fallback = "json",
       .summary = "format of the audit log",
       .choices = {"json", "legacy"}},
  };
  add_common_flags(kOfLog, audit::LogOptions{}.mode, audit::LogOptions{}.batch, flags);
  flags.push_back({.name = "audit-webhook-config-file",
                   .kind = ValueKind::kFile,
                   .word = "FILE",
                   .fallback = {},
                   .summary = "kubeconfig of the audit webhook"});
  flags.push_back({.name = "audit-webhook-initial-backoff",
                   .kind = ValueKind::kDuration,
                   .word = "TIME",
                   .fallback = "10s",
                   .summary = "pause before a failed batch is sent again"});
  add_common_flags(kOfWebhook, audit::WebhookLogOptions{}.mode, audit::WebhookLogOptions{}.batch,
                   flags);
  return flags;
}

Result<AuditSettings> read_audit_options(const Settings& settings, Files& files) {
  using namespace audit_flags_file;  // NOLINT: of this file only
  std::optional<audit::LogOptions> log = TRY(read_log(settings, files));
  std::optional<audit::WebhookLogOptions> webhook = TRY(read_webhook(settings, files));
  const std::string& path = settings.text("audit-policy-file");
  AuditSettings read;
  if (path.empty()) {
    if (log || webhook) {
      read.warnings.emplace_back(
          "no request is audited: --audit-log-path and --audit-webhook-config-file require "
          "--audit-policy-file");
    }
    return read;
  }
  audit::Policy policy = TRY(read_policy_file(path, files, read.warnings));
  if (!log && !webhook) {
    read.warnings.emplace_back(
        "no request is audited: --audit-policy-file requires --audit-log-path or "
        "--audit-webhook-config-file");
    return read;
  }
  read.options = audit::Options{
      .policy = std::move(policy), .log = std::move(log), .webhook = std::move(webhook)};
  return read;
}

}  // namespace proa::cli
