#include "apiserver/representation/openapi/naming.h"

#include "base/strings.h"

namespace proa::apiserver {

namespace naming {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

char large(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

std::string camel_case(std::string_view text, bool large_first) {
  std::string out;
  bool next_large = large_first;
  for (const char c : text) {
    if (is_letter(c) || (c >= '0' && c <= '9' && !out.empty()) || c == '_') {
      out += next_large ? large(c) : c;
      next_large = false;
    } else {
      next_large = !out.empty() || large_first;
    }
  }
  return out;
}

std::string_view short_group(const GroupVersion& group_version) {
  constexpr std::string_view kSuffix = ".k8s.io";
  std::string_view group = group_version.group;
  if (group.empty()) return "core";
  if (group.ends_with(kSuffix)) group.remove_suffix(kSuffix.size());
  return group;
}

}  // namespace naming

GroupVersion split_group_version(std::string_view text) {
  const auto halves = split_once(text, '/');
  if (!halves) return {.group = "", .version = text};
  return {.group = halves->before, .version = halves->after};
}

std::string path_of(const GroupVersion& group_version) {
  std::string path(group_version.group.empty() ? "/api" : "/apis/");
  path += group_version.group;
  path += '/';
  path += group_version.version;
  return path;
}

std::string tag_of(const GroupVersion& group_version) {
  std::string tag = naming::camel_case(naming::short_group(group_version), false);
  if (!group_version.version.empty()) tag += "_" + std::string(group_version.version);
  return tag;
}

std::string id_of(const GroupVersion& group_version) {
  return naming::camel_case(naming::short_group(group_version), true) +
         naming::camel_case(group_version.version, true);
}

std::string capitalized(std::string_view text) { return naming::camel_case(text, true); }

}  // namespace proa::apiserver
