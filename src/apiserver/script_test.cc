// Runs the scripts of testdata/: requests and expected responses.
#include <gtest/gtest.h>

#include <filesystem>

#include "api/object/view.h"
#include "base/strings.h"
#include "json/parse.h"
#include "json/print.h"
#include "testkit/apiserver/running_api.h"
#include "testkit/golden.h"
#include "testkit/scripts.h"

namespace proa::apiserver {
namespace {

// The value at "spec.containers.0.name".
api::View find(api::View value, std::string_view path) {
  for (const std::string_view step : split(path, '/')) {
    const auto index = parse_uint(step);
    value = value.is(json::Kind::kArray) && index ? value.item(*index) : value[step];
  }
  return value;
}

// The first line is METHOD TARGET [Header:value ...] [| path path ...], the others are the body.
// The output is the status code and either the whole body or the values at those paths
// ("spec/replicas"); "#warnings" are the Warning headers. `advance SECONDS` advances the clock.
class Script {
 public:
  std::string run(std::string_view command) {
    api_.random().begin_case(command);
    const auto halves = split_once(command, '\n');
    const std::string_view line = halves ? halves->before : command;
    const std::string_view body = halves ? halves->after : std::string_view();
    std::vector<std::string_view> words = split(line, ' ');
    if (words[0] == "advance") {
      api_.clock().advance(std::chrono::seconds(parse_int(words[1]).value()));
      return "";
    }
    http::Headers headers;
    std::vector<std::string_view> paths;
    bool wants_paths = false;
    for (size_t i = 2; i < words.size(); ++i) {
      if (words[i] == "|") {
        wants_paths = true;
      } else if (wants_paths) {
        paths.push_back(words[i]);
      } else {
        const auto header = split_once(words[i], ':');
        headers.set(to_lower(header->before), header->after);
      }
    }
    const auto answer = api_.ask(words[0], words[1], body, headers);
    return std::to_string(answer.code) + "\n" + show(answer, paths, wants_paths);
  }

 private:
  static std::string show(const testkit::RunningApi::Answer& answer,
                          const std::vector<std::string_view>& paths, bool wants_paths) {
    const auto document = json::parse(answer.body);
    if (!document) return answer.body + (answer.body.ends_with('\n') ? "" : "\n");
    if (!wants_paths) return json::print_pretty(document->root()) + "\n";
    std::string text;
    for (const std::string_view path : paths) {
      if (path == "#warnings") {
        for (const std::string_view warning : answer.headers.all("warning")) {
          text += "warning: " + std::string(warning) + "\n";
        }
        continue;
      }
      const api::View value = find(document->root(), path);
      text += std::string(path) + "=" +
              (value.exists() ? json::print(*value.value()) : std::string("-")) + "\n";
    }
    return text;
  }

  testkit::RunningApi api_;
};

std::filesystem::path scripts() {
  return std::filesystem::path(__FILE__).parent_path() / "testdata";
}

class ApiScript : public testing::TestWithParam<std::string> {};

TEST_P(ApiScript, IsAnsweredAsExpected) {
  Script script;
  testkit::run_golden(scripts() / (GetParam() + ".txt"),
                      [&](std::string_view command) { return script.run(command); });
}

INSTANTIATE_TEST_SUITE_P(Scripts, ApiScript, testing::ValuesIn(testkit::scripts_of(scripts())),
                         [](const auto& chosen) { return chosen.param; });

}  // namespace
}  // namespace proa::apiserver
