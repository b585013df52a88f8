#include "apiserver/streaming/aggregation/openapi_reader.h"

#include "api/object/view.h"
#include "base/cost/budget.h"
#include "json/parse.h"

namespace proa::apiserver {

Result<std::string> read_openapi_index(std::string_view json, std::string_view group,
                                       std::string_view version) {
  constexpr std::string_view kMember = "serverRelativeURL";
  Budget budget;
  const json::Document document = TRY(json::parse(json, {.budget = &budget}));
  const api::View root(document.root());
  if (!root.is(json::Kind::kObject))
    return Status(Reason::kInvalid, "the OpenAPI index is not an object");
  std::string name("apis/");
  name.append(group).append("/").append(version);
  const std::string_view members = "paths";
  const std::string url(root[members][name][kMember].text());
  const std::string path = "/openapi/v3/" + name;
  if (url != path && !url.starts_with(path + "?")) return std::string();
  return url;
}

}  // namespace proa::apiserver
