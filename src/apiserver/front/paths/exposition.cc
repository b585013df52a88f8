#include "apiserver/front/paths/exposition.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "apiserver/representation/media.h"
#include "base/metrics/metrics.h"
#include "base/strings.h"
#include "http/wire/gzip.h"

namespace proa::apiserver {
namespace exposition_format {

constexpr std::string_view kTextVersion = "0.0.4";
constexpr std::string_view kDefaultEscaping = "underscores";
constexpr std::array<std::string_view, 4> kEscapings = {"allow-utf-8", kDefaultEscaping, "dots",
                                                        "values"};

struct Clause {
  std::string_view type;
  std::string_view version;
  std::string_view escaping;
  double weight = 1;
};

std::vector<Clause> clauses_of(std::string_view accept) {
  std::vector<Clause> clauses;
  for (const std::string_view part : split(accept, ',')) {
    const std::vector<std::string_view> pieces = split(part, ';');
    Clause clause{.type = trim(pieces.front())};
    for (size_t i = 1; i < pieces.size(); ++i) {
      const auto parameter = split_once(pieces[i], '=');
      if (!parameter) continue;
      const std::string_view name = trim(parameter->before);
      const std::string_view value = trim(parameter->after);
      if (name == "version") clause.version = value;
      if (name == "escaping") clause.escaping = value;
      if (name == "q") clause.weight = accept_quality(value);
    }
    clauses.push_back(clause);
  }
  std::ranges::stable_sort(clauses,
                           [](const Clause& a, const Clause& b) { return a.weight > b.weight; });
  return clauses;
}

// As upstream's expfmt.Negotiate: the last one before the first clause that is satisfied.
std::string_view escaping_for(std::string_view accept) {
  std::string_view chosen = kDefaultEscaping;
  for (const Clause& clause : clauses_of(accept)) {
    if (std::ranges::find(kEscapings, clause.escaping) != kEscapings.end())
      chosen = clause.escaping;
    const bool is_text = clause.type == "text/plain";
    if (is_text && (clause.version.empty() || clause.version == kTextVersion)) break;
  }
  return chosen;
}

}  // namespace exposition_format

http::Response exposition(const http::RequestHead& head, std::string text) {
  using namespace exposition_format;  // NOLINT: of this file only
  std::string type = "text/plain; version=";
  type.append(kTextVersion).append("; charset=utf-8; escaping=");
  type.append(escaping_for(head.headers.get("accept")));
  const auto began = static_cast<int64_t>(std::floor(process_start_seconds()));
  http::Response response;
  response.headers = {{"content-type", type},
                      {"cache-control", "no-cache, private"},
                      {"process-start-time-unix", std::to_string(began)}};
  // Of any size, as upstream: scrapers come over networks, and text like this shrinks to a tenth.
  if (head.headers.accepts("accept-encoding", "gzip")) {
    response.headers.add("content-encoding", "gzip");
    text = http::gzip(text);
  }
  response.body = Bytes(std::move(text));
  return response;
}

}  // namespace proa::apiserver
