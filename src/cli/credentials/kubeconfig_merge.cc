#include "cli/credentials/kubeconfig_merge.h"

#include <algorithm>

#include "api/object/edit.h"
#include "api/object/view.h"
#include "json/yaml.h"

namespace proa::cli {
namespace kubeconfig_merge {

constexpr std::string_view kLists[] = {"clusters", "users", "contexts"};

Result<json::Document> read(std::string_view text) {
  json::Document document = TRY(json::parse_yaml(text));
  if (document.root().is_null()) document.root() = json::Value::object();  // empty
  const bool is_config = document.root().is(json::Kind::kObject) &&
                         api::View(document.root())["kind"].text("Config") == "Config";
  if (!is_config) return Status(Reason::kBadRequest, "not a kubeconfig");
  return document;
}

bool has_name(api::View list, std::string_view name) {
  return std::ranges::any_of(list.items(),
                             [&](api::View entry) { return entry["name"].text() == name; });
}

}  // namespace kubeconfig_merge

Result<json::Document> merge_kubeconfigs(std::string_view existing, std::string_view added) {
  using namespace kubeconfig_merge;  // NOLINT: this unit's own
  json::Document merged = TRY(read(existing));
  const json::Document more = TRY(read(added));
  json::Arena& arena = merged.arena();
  json::Value& root = merged.root();
  for (const char* name : {"apiVersion", "kind", "current-context"}) {
    root.set(arena, name, json::Value::string(arena, api::View(more.root())[name].text()));
  }
  for (const std::string_view list : kLists) {
    const api::View added_list = api::View(more.root())[list];
    json::Value entries = json::Value::array();
    for (const api::View entry : api::View(root)[list].items()) {
      if (has_name(added_list, entry["name"].text())) continue;
      entries.push_back(arena, entry.value()->copy(arena));
    }
    for (const api::View entry : added_list.items()) {
      entries.push_back(arena, entry.value()->copy(arena));
    }
    root.set(arena, list, std::move(entries));
  }
  return merged;
}

Result<json::Document> with_server(std::string_view kubeconfig, std::string_view server) {
  json::Document document = TRY(kubeconfig_merge::read(kubeconfig));
  const api::Edit clusters = api::Edit(document).array("clusters");
  for (size_t i = 0; i < clusters.view().size(); ++i) {
    clusters.item(i).object("cluster").set("server", server);
  }
  return document;
}

}  // namespace proa::cli
