#include "cli/server/flags/audit_flags.h"

#include <gtest/gtest.h>

#include "testkit/memory_files.h"

namespace proa::cli {
namespace {

using namespace std::chrono_literals;
namespace audit = apiserver::audit;

constexpr const char* kPolicy =
    "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadata\n";

class AuditFlagsTest : public testing::Test {
 protected:
  AuditFlagsTest() {
    for (const Flag& flag : audit_flags()) settings_.set(flag.name, flag.fallback);
    files_.content["/policy.yaml"] = kPolicy;
  }
  std::string problem() {
    const auto read = read_audit_options(settings_, files_);
    return read ? "" : read.status().message();
  }
  std::vector<std::string> warnings() {
    return read_audit_options(settings_, files_).value().warnings;
  }

  Settings settings_;
  testkit::MemoryFiles files_;
};

TEST_F(AuditFlagsTest, NothingIsAuditedWithoutAPolicyOrABackend) {
  EXPECT_FALSE(read_audit_options(settings_, files_).value().options.has_value());
  settings_.set("audit-policy-file", "/policy.yaml");
  EXPECT_FALSE(read_audit_options(settings_, files_).value().options.has_value());
  settings_.set("audit-policy-file", "");
  settings_.set("audit-log-path", "/var/log/audit.log");
  EXPECT_FALSE(read_audit_options(settings_, files_).value().options.has_value());
}

TEST_F(AuditFlagsTest, SaysThatNothingIsAudited) {
  using Warnings = std::vector<std::string>;
  EXPECT_EQ(warnings(), Warnings());
  settings_.set("audit-policy-file", "/policy.yaml");
  EXPECT_EQ(warnings(), Warnings{"no request is audited: --audit-policy-file requires "
                                 "--audit-log-path or --audit-webhook-config-file"});
  settings_.set("audit-log-path", "/var/log/audit.log");
  EXPECT_EQ(warnings(), Warnings());
  settings_.set("audit-policy-file", "");
  EXPECT_EQ(warnings(), Warnings{"no request is audited: --audit-log-path and "
                                 "--audit-webhook-config-file require --audit-policy-file"});
}

TEST_F(AuditFlagsTest, TheLogIsNoDirectory) {
  files_.content["/var/log"] = "";
  for (const char* path : {"/var/log", "/var/log/"}) {
    SCOPED_TRACE(path);
    settings_.set("audit-log-path", path);
    EXPECT_EQ(problem(), "--audit-log-path: " + std::string(path) +
                             " is a directory; give the path of a file, such as "
                             "/var/log/audit.log");
  }
}

TEST_F(AuditFlagsTest, DefaultsAreUpstreams) {
  settings_.set("audit-policy-file", "/policy.yaml");
  settings_.set("audit-log-path", "/var/log/audit.log");
  const std::optional<audit::Options> options =
      read_audit_options(settings_, files_).value().options;
  ASSERT_TRUE(options && options->log);
  EXPECT_FALSE(options->webhook.has_value());
  const audit::LogOptions& log = *options->log;
  EXPECT_EQ(log.file.path, "/var/log/audit.log");
  EXPECT_EQ(log.file.max_age_days, 366);
  EXPECT_EQ(log.file.max_backups, 100);
  EXPECT_EQ(log.file.max_bytes, 100u << 20);
  EXPECT_FALSE(log.file.compresses);
  EXPECT_EQ(log.format, audit::EventFormat::kJson);
  EXPECT_EQ(log.mode, audit::Mode::kBlocking);
  EXPECT_EQ(log.batch.buffer_events, 10'000u);
  EXPECT_EQ(log.batch.max_events, 1u);
  EXPECT_FALSE(log.batch.throttles);
  EXPECT_FALSE(log.truncate.enabled);
  EXPECT_EQ(log.truncate.max_event_bytes, 102'400u);
  EXPECT_EQ(log.truncate.max_batch_bytes, 10'485'760u);
}

TEST_F(AuditFlagsTest, ReadsTheWebhook) {
  files_.content["/hook.yaml"] = R"({apiVersion: v1, kind: Config,
    clusters: [{name: c, cluster: {server: "https://audit.example/events"}}],
    users: [{name: u, user: {token: t}}],
    contexts: [{name: x, context: {cluster: c, user: u}}], current-context: x})";
  settings_.set("audit-policy-file", "/policy.yaml");
  settings_.set("audit-webhook-config-file", "/hook.yaml");
  settings_.set("audit-webhook-batch-throttle-qps", "2.5");
  const std::optional<audit::Options> options =
      read_audit_options(settings_, files_).value().options;
  ASSERT_TRUE(options && options->webhook);
  const audit::WebhookLogOptions& webhook = *options->webhook;
  EXPECT_EQ(webhook.webhook.connection.server, "https://audit.example/events");
  EXPECT_EQ(webhook.webhook.initial_backoff, 10s);
  EXPECT_EQ(webhook.mode, audit::Mode::kBatch);
  EXPECT_EQ(webhook.batch.max_events, 400u);
  EXPECT_EQ(webhook.batch.max_wait, 30s);
  EXPECT_TRUE(webhook.batch.throttles);
  EXPECT_EQ(webhook.batch.batches_per_second, 2.5);
  EXPECT_EQ(webhook.batch.burst, 15u);
}

TEST_F(AuditFlagsTest, ErrorsNameTheFlag) {
  settings_.set("audit-policy-file", "/none.yaml");
  EXPECT_NE(problem().find("--audit-policy-file"), std::string::npos);
  files_.content["/bad.yaml"] = "kind: Policy";
  settings_.set("audit-policy-file", "/bad.yaml");
  EXPECT_NE(problem().find("--audit-policy-file: /bad.yaml"), std::string::npos);
  settings_.set("audit-policy-file", "/policy.yaml");
  settings_.set("audit-webhook-config-file", "/none.yaml");
  EXPECT_NE(problem().find("--audit-webhook-config-file"), std::string::npos);
  settings_.set("audit-webhook-config-file", "");
  settings_.set("audit-log-batch-throttle-qps", "-1");
  EXPECT_EQ(problem(), "--audit-log-batch-throttle-qps must be a positive number, not -1");
  settings_.set("audit-log-batch-throttle-qps", "10");
  settings_.set("audit-log-truncate-max-batch-size", "10");
  EXPECT_EQ(problem(),
            "--audit-log-truncate-max-batch-size must not be less than "
            "--audit-log-truncate-max-event-size");
}

}  // namespace
}  // namespace proa::cli
