#include "testkit/netlink/nft_text.h"

#include <algorithm>
#include <regex>
#include <vector>

#include "base/strings.h"

namespace proa::testkit {

std::string sorted_listing(std::string_view listed) {
  constexpr std::string_view kBegin = "elements = { ";
  constexpr std::string_view kEnd = " }\n";
  static const std::regex kTimes(" timeout [0-9a-z]+ expires [0-9a-z]+");
  std::string text;
  while (true) {
    const size_t begin = listed.find(kBegin);
    const size_t end = begin == listed.npos ? begin : listed.find(kEnd, begin);
    if (end == listed.npos) return text.append(listed);
    const size_t first = begin + kBegin.size();
    text += listed.substr(0, first);
    std::vector<std::string> elements;
    for (const std::string_view part : split(listed.substr(first, end - first), ',')) {
      elements.push_back(std::regex_replace(std::string(trim(part)), kTimes, ""));
    }
    std::sort(elements.begin(), elements.end());
    text += join(elements, ",\n\t\t\t     ");
    listed.remove_prefix(end);
  }
}

}  // namespace proa::testkit
