#include "apiserver/representation/table/list_head.h"

#include "json/print.h"

namespace proa::apiserver {

void write_list_head(std::string& out, const ListHead& head) {
  out += '{';
  const auto add = [&](std::string_view key) {
    if (out.back() != '{') out += ',';
    out.append("\"").append(key).append("\":");
  };
  if (!head.resource_version.empty()) {
    add("resourceVersion");
    json::print_string_to(out, head.resource_version);
  }
  if (!head.continue_token.empty()) {
    add("continue");
    json::print_string_to(out, head.continue_token);
  }
  if (head.remaining) {
    add("remainingItemCount");
    out += std::to_string(*head.remaining);
  }
  out += '}';
}

void write_meta_kind(std::string& out, std::string_view kind, std::string_view version) {
  out.append("{\"kind\":\"").append(kind);
  out.append("\",\"apiVersion\":\"meta.k8s.io/").append(version).append("\",");
}

}  // namespace proa::apiserver
