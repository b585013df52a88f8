#include "api/codec/json/stated_kind.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/codec/json/forms.h"

namespace proa::api {
namespace stated {

// The struct that upstream reads them into has no name.
constexpr std::string_view kStruct =
    R"(struct { APIVersion string "json:\"apiVersion,omitempty\""; )"
    R"(Kind string "json:\"kind,omitempty\"" })";

Status wrong_kind(const json::Value& found, std::string_view target) {
  return unreadable_kind({Reason::kBadRequest, fmt::format("json: cannot unmarshal {} into Go {}",
                                                           go_kind(found), target)});
}

}  // namespace stated

std::string_view StatedKind::group() const {
  const size_t slash = api_version.find('/');
  return slash == std::string::npos ? std::string_view()
                                    : std::string_view(api_version).substr(0, slash);
}

std::string_view StatedKind::version() const {
  const size_t slash = api_version.find('/');
  return std::string_view(api_version).substr(slash == std::string::npos ? 0 : slash + 1);
}

Status unreadable_kind(const Status& why) {
  return {why.reason(), "couldn't get version/kind; json parse error: " + why.message()};
}

Result<StatedKind> stated_kind(const json::Value& document) {
  StatedKind stated;
  if (document.is_null()) return stated;
  if (!document.is(json::Kind::kObject))
    return stated::wrong_kind(document, fmt::format("value of type {}", stated::kStruct));
  for (const json::Member& member : document.members()) {
    const bool is_kind = member.key == "kind";
    if ((!is_kind && member.key != "apiVersion") || member.value.is_null()) continue;
    if (!member.value.is(json::Kind::kString)) {
      return stated::wrong_kind(member.value,
                                fmt::format("struct field .{} of type string", member.key));
    }
    (is_kind ? stated.kind : stated.api_version) = member.value.as_string();
  }
  if (stated.api_version == "/") stated.api_version.clear();
  if (std::ranges::count(stated.api_version, '/') > 1) {
    return Status(Reason::kBadRequest, "unexpected GroupVersion string: " + stated.api_version);
  }
  return stated;
}

}  // namespace proa::api
