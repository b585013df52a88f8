#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace proa::apiserver {

// What stands in the metadata of a list.
struct ListHead {
  std::string_view resource_version;
  std::string_view continue_token = {};             // empty at the end
  std::optional<int64_t> remaining = std::nullopt;  // known only where nothing is selected
};

// As JSON, at the end of a text.
void write_list_head(std::string& out, const ListHead& head);

// `{"kind":"Table","apiVersion":"meta.k8s.io/v1",`: the start of an object of meta.k8s.io.
void write_meta_kind(std::string& out, std::string_view kind, std::string_view version);

}  // namespace proa::apiserver
