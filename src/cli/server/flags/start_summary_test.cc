#include "cli/server/flags/start_summary.h"

#include <gtest/gtest.h>

#include "cli/server/flags/access_flags.h"
#include "cli/server/flags/audit_flags.h"

namespace proa::cli {
namespace {

class StartSummaryTest : public testing::Test {
 protected:
  StartSummaryTest() {
    for (const Flag& flag : access_flags()) settings_.set(flag.name, flag.fallback);
    for (const Flag& flag : audit_flags()) settings_.set(flag.name, flag.fallback);
  }
  void give(std::string_view name, const std::string& value) {
    settings_.set(name, value);
    settings_.mark_given(name);
  }
  std::string text(bool audits) const {
    std::string all;
    for (const SummaryLine& line : start_summary(settings_, audits)) {
      all += std::string(line.what) + ": " + line.text + "\n";
    }
    return all;
  }

  Settings settings_;
};

TEST_F(StartSummaryTest, IsEmptyForTheDefaults) { EXPECT_EQ(text(false), ""); }

TEST_F(StartSummaryTest, NamesTheFilesInForce) {
  give("audit-policy-file", "/etc/policy.yaml");
  EXPECT_EQ(text(false), "") << "a policy without a destination audits nothing";
  give("audit-log-path", "/var/log/audit.log");
  give("token-auth-file", "/etc/tokens.csv");
  give("oidc-issuer-url", "https://issuer.example");
  give("authorization-mode", "Node,RBAC,Webhook");
  EXPECT_EQ(text(true),
            "audit: policy /etc/policy.yaml, log /var/log/audit.log\n"
            "authentication: also by OIDC issuer https://issuer.example, tokens /etc/tokens.csv\n"
            "authorization: Node,RBAC,Webhook\n");
  give("authorization-config", "/etc/authorization.yaml");
  EXPECT_NE(text(true).find("authorization: configuration /etc/authorization.yaml\n"),
            std::string::npos);
}

TEST(HttpsText, SaysOnceWhereTheServerListens) {
  EXPECT_EQ(https_text("https://127.0.0.1:6443", "https://127.0.0.1:6443"),
            "https://127.0.0.1:6443");
  EXPECT_EQ(https_text("https://127.0.0.1:6443", "https://10.0.0.5:6443"),
            "https://127.0.0.1:6443, from other machines https://10.0.0.5:6443");
}

}  // namespace
}  // namespace proa::cli
