#include "apiserver/representation/openapi/accept.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/strings.h"

namespace proa::apiserver {

namespace accept {

struct Clause {
  std::string_view type;
  std::string_view subtype;
  double weight = 1;
};

// As upstream's parser, skips malformed parts.
std::vector<Clause> parse(std::string_view header) {
  std::vector<Clause> clauses;
  for (const std::string_view part : split(header, ',')) {
    const std::vector<std::string_view> pieces = split(part, ';');
    const std::string_view range = trim(pieces.front());
    const auto halves = split_once(range, '/');
    Clause clause;
    if (halves) {
      clause.type = trim(halves->before);
      clause.subtype = trim(halves->after);
    } else if (range == "*") {
      clause.type = clause.subtype = "*";
    } else {
      continue;
    }
    for (size_t i = 1; i < pieces.size(); ++i) {
      const auto parameter = split_once(pieces[i], '=');
      if (!parameter || trim(parameter->before) != "q") continue;
      clause.weight = std::strtod(std::string(trim(parameter->after)).c_str(), nullptr);
    }
    clauses.push_back(clause);
  }
  std::ranges::stable_sort(clauses,
                           [](const Clause& a, const Clause& b) { return a.weight > b.weight; });
  return clauses;
}

bool fits(const Clause& clause, std::string_view media) {
  const auto halves = split_once(media, '/');
  return (clause.type == "*" || clause.type == halves->before) &&
         (clause.subtype == "*" || clause.subtype == halves->after);
}

}  // namespace accept

std::string_view choose_offered(std::string_view accept,
                                std::span<const std::string_view> offered) {
  for (const accept::Clause& clause : accept::parse(accept.empty() ? "*/*" : accept)) {
    for (const std::string_view media : offered) {
      if (accept::fits(clause, media)) return media;
    }
  }
  return {};
}

}  // namespace proa::apiserver
