#include "kinds/printing/texts.h"

#include <algorithm>
#include <vector>

#include "base/strings.h"

namespace proa::kinds {

using api::View;

std::string format_labels(View labels) {
  if (labels.empty()) return "<none>";
  std::vector<std::string> pairs;
  for (const json::Member& member : labels.members()) {
    pairs.push_back(std::string(member.key) + "=" + std::string(View(member.value).text()));
  }
  std::sort(pairs.begin(), pairs.end());
  return join(pairs, ",");
}

std::string join_member(View list, std::string_view member) {
  std::vector<std::string_view> texts;
  for (const View item : list.items()) texts.push_back(item[member].text());
  return join(texts, ",");
}

}  // namespace proa::kinds
