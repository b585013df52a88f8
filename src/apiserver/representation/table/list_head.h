#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace proa::apiserver {

// The metadata of a list.
struct ListHead {
  std::string_view resource_version;
  std::string_view continue_token = {};             // empty on the last page
  std::optional<int64_t> remaining = std::nullopt;  // only known without selectors
};

// Appends it as JSON.
void write_list_head(std::string& out, const ListHead& head);

// `{"kind":"Table","apiVersion":"meta.k8s.io/v1",`: the beginning of a meta.k8s.io object.
void write_meta_kind(std::string& out, std::string_view kind, std::string_view version);

}  // namespace proa::apiserver
