#include "cli/server/flags/start_summary.h"

#include <initializer_list>

namespace proa::cli {
namespace start_summary_unit {

struct Part {
  std::string_view before;
  std::string_view flag;
};

// The flags that are given: "policy /a, log /b"; empty if none is.
std::string given(const Settings& settings, std::initializer_list<Part> parts) {
  std::string text;
  for (const Part& part : parts) {
    const std::string& value = settings.text(part.flag);
    if (value.empty()) continue;
    text.append(text.empty() ? "" : ", ").append(part.before).append(" ").append(value);
  }
  return text;
}

}  // namespace start_summary_unit

std::vector<SummaryLine> start_summary(const Settings& settings, bool audits) {
  using start_summary_unit::given;
  std::vector<SummaryLine> lines;
  if (audits) {
    lines.push_back({"audit", given(settings, {{"policy", "audit-policy-file"},
                                               {"log", "audit-log-path"},
                                               {"webhook", "audit-webhook-config-file"}})});
  }
  std::string authentication =
      given(settings, {{"configuration", "authentication-config"},
                       {"OIDC issuer", "oidc-issuer-url"},
                       {"tokens", "token-auth-file"},
                       {"webhook", "authentication-token-webhook-config-file"},
                       {"proxies signed by", "requestheader-client-ca-file"}});
  if (!authentication.empty()) {
    lines.push_back({"authentication", "also by " + std::move(authentication)});
  }
  if (const std::string& file = settings.text("authorization-config"); !file.empty()) {
    lines.push_back({"authorization", "configuration " + file});
  } else if (settings.is_given("authorization-mode")) {
    lines.push_back({"authorization", settings.text("authorization-mode")});
  }
  return lines;
}

std::string https_text(const std::string& local, const std::string& advertised) {
  return local == advertised ? local : local + ", from other machines " + advertised;
}

}  // namespace proa::cli
