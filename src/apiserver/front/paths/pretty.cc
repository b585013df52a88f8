#include "apiserver/front/paths/pretty.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "json/text/indent.h"

namespace proa::apiserver {
namespace pretty {

// Objects that people read become two or three times as long, and failures a little more.
constexpr size_t kGrowth = 4;
constexpr size_t kSlack = 4096;

// As Go parses a bool; anything else is false.
bool is_true(std::string_view text) {
  constexpr std::array<std::string_view, 6> kTrue = {"1", "t", "T", "true", "TRUE", "True"};
  return std::find(kTrue.begin(), kTrue.end(), text) != kTrue.end();
}

}  // namespace pretty

bool wants_pretty(const http::RequestHead& head, const http::Target& target) {
  const std::string* asked = target.find("pretty");
  if (asked != nullptr && !asked->empty()) return pretty::is_true(*asked);
  const std::string_view agent = head.headers.get("user-agent");
  return agent.starts_with("curl") || agent.starts_with("Wget") || agent.starts_with("Mozilla/5.0");
}

void make_pretty(http::Response& response) {
  const bool is_json = response.headers.get("content-type").starts_with("application/json");
  if (!is_json || response.body.empty()) return;
  const size_t size = response.body.size();
  if (size > kMostPretty) return;
  std::optional<std::string> indented =
      json::indent(response.body.view(), pretty::kGrowth * size + pretty::kSlack);
  if (indented) response.body = Bytes(std::move(*indented));
}

}  // namespace proa::apiserver
