#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>

#include "api/codec/json/decode.h"
#include "api/schema/builtin.h"
#include "base/strings.h"
#include "json/parse.h"
#include "json/patch/merge_patch.h"
#include "json/print.h"
#include "json/yaml.h"
#include "kinds/core/pods/defaults.h"
#include "kinds/core/pods/subresources.h"
#include "kinds/defaulting.h"
#include "kinds/kinds.h"
#include "testkit/golden.h"

// Runs the scripts of testdata/ on pods, as the API server processes them. A command is a word and
// a pod in YAML, which is merged into a small base pod: "container" into its first container,
// "metadata", "spec" and "status" into the rest. Commands about updates take two documents: the old
// pod, and the changes of the new one.

namespace proa::kinds {
namespace pods_test {

constexpr std::string_view kSmallPod = R"({
  "apiVersion": "v1", "kind": "Pod",
  "metadata": {"name": "web", "namespace": "default", "creationTimestamp": "2026-01-01T00:00:00Z"},
  "spec": {"containers": [{"name": "main", "image": "nginx:1.27"}]}})";

const api::Type& type_of(std::string_view kind) {
  return *api::builtin_schema().find_kind("v1", kind);
}

const Defaulting& defaulting() {
  static const Defaulting kDefaulting(api::builtin_schema(), pods::type_defaults());
  return kDefaulting;
}

json::Document small_pod() {
  auto parsed = json::parse(kSmallPod);
  return std::move(*parsed);
}

json::Document decoded(json::Document document, std::string_view kind) {
  auto result =
      api::decode_document(std::move(document), type_of(kind), api::FieldValidation::kStrict);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? std::move(result->document) : small_pod();
}

json::Document completed(json::Document document, std::string_view kind) {
  json::Document result = decoded(std::move(document), kind);
  defaulting().apply(api::Edit(result), type_of(kind));
  return result;
}

// The base pod with `more` merged into it.
json::Document changed(const json::Document& pod, const json::Document& more) {
  json::Document result = pod.copy();
  json::Document patch = more.copy();
  if (json::Value* container = patch.root().find("container")) {
    json::Value& first = result.root().find("spec")->find("containers")->items()[0];
    json::Document part;
    part.root() = first.copy(part.arena());
    json::apply_merge_patch(part, *container);
    first = part.root().copy(result.arena());
    patch.root().remove("container");
  }
  if (!patch.root().is_null()) json::apply_merge_patch(result, patch.root());
  return result;
}

std::string text_of(const api::FieldErrors& errors) {
  std::string text;
  for (const std::string& line : errors.texts()) text += line + "\n";
  return text.empty() ? "ok\n" : text;
}

std::string print_at(const json::Document& document, std::string_view path) {
  const View found = path.empty() ? View(document.root()) : View(document.root()).at(path);
  return found.exists() ? json::print(*found.value()) + "\n" : "absent\n";
}

class AllCells : public Cells {
 public:
  void text(std::string_view text) override { add(std::string(text)); }
  void number(int64_t number) override { add(std::to_string(number)); }
  void flag(bool flag) override { add(flag ? "true" : "false"); }
  Time now() const override { return *parse_time("2026-01-01T01:00:00Z"); }

  std::string line;

 private:
  void add(const std::string& cell) { line += line.empty() ? cell : " | " + cell; }
};

struct Command {
  std::string_view argument;
  std::vector<json::Document> documents;

  json::Document pod() const {
    return completed(documents.empty() ? small_pod() : changed(small_pod(), documents[0]), "Pod");
  }
  // If there are two; YAML does not count an empty document before the first "---".
  json::Document old_pod() const {
    return documents.size() > 1 ? pod() : completed(small_pod(), "Pod");
  }
  json::Document changed_pod(const json::Document& old) const {
    return completed(changed(old, documents.back()), "Pod");
  }
};

const KindRules& rules() { return find_rules("v1", "Pod"); }
const KindRules& template_rules() { return find_rules("v1", "PodTemplate"); }

json::Document created(const Command& command) {
  static SeededRandom random(1);
  json::Document pod = command.pod();
  rules().prepare_create(api::Edit(pod), {.now = *parse_time("2026-01-01T00:00:00Z"),
                                          .random = random,
                                          .user = "somebody",
                                          .uid = "",
                                          .groups = {}});
  return pod;
}

std::string validate(const Command& command) {
  const json::Document pod = created(command);
  api::FieldErrors errors;
  rules().validate(pod.root(), errors);
  rules().validate_create(pod.root(), errors);
  return text_of(errors);
}

std::string validate_template(const Command& command) {
  const json::Document pod = changed(small_pod(), command.documents[0]);
  json::Document outer;
  outer.root() = json::Value::object();
  const api::Edit edit(outer);
  edit.set("apiVersion", "v1");
  edit.set("kind", "PodTemplate");
  edit.object("metadata").set("name", "web");
  const api::Edit inner = edit.object("template");
  inner.copy("metadata", View(pod.root())["metadata"]);
  inner.copy("spec", View(pod.root())["spec"]);
  const json::Document made = completed(std::move(outer), "PodTemplate");
  if (command.argument == "row") {
    AllCells cells;
    template_rules().row(made.root(), cells);
    return cells.line + "\n";
  }
  if (!command.argument.empty()) return print_at(made, command.argument);
  api::FieldErrors errors;
  template_rules().validate(made.root(), errors);
  Warnings warnings;
  template_rules().warn(made.root(), View(), warnings);
  std::string text = text_of(errors);
  for (const std::string& warning : warnings.all()) text += "warning: " + warning + "\n";
  return text;
}

std::string update(const Command& command) {
  const json::Document old = command.old_pod();
  const json::Document pod = command.changed_pod(old);
  api::FieldErrors errors;
  rules().validate(pod.root(), errors);
  rules().validate_update(pod.root(), old.root(), errors);
  return text_of(errors);
}

std::string update_status(const Command& command) {
  static SeededRandom random(1);
  const json::Document old = command.old_pod();
  json::Document pod = command.changed_pod(old);
  rules().prepare_status_update(api::Edit(pod), old.root(),
                                {.now = {}, .random = random, .user = "", .uid = "", .groups = {}});
  if (!command.argument.empty()) return print_at(pod, command.argument);
  api::FieldErrors errors;
  rules().validate_status_update(pod.root(), old.root(), errors);
  return text_of(errors);
}

std::string update_ephemeral(const Command& command) {
  const json::Document old = command.old_pod();
  json::Document pod = command.changed_pod(old);
  prepare_ephemeral_containers_update(api::Edit(pod), old.root());
  if (!command.argument.empty()) return print_at(pod, command.argument);
  api::FieldErrors errors;
  validate_ephemeral_containers_update(pod.root(), old.root(), errors);
  return text_of(errors);
}

std::string resize(const Command& command) {
  const json::Document old = command.old_pod();
  json::Document pod = command.changed_pod(old);
  prepare_resize(api::Edit(pod), old.root());
  if (!command.argument.empty()) return print_at(pod, command.argument);
  api::FieldErrors errors;
  validate_resize(pod.root(), old.root(), errors);
  return text_of(errors);
}

std::string row(const Command& command) {
  AllCells cells;
  const json::Document pod = command.pod();
  rules().row(pod.root(), cells);
  return cells.line + "\n";
}

std::string warn(const Command& command) {
  const json::Document pod = created(command);
  Warnings warnings;
  rules().warn(pod.root(), View(), warnings);
  std::string text;
  for (const std::string& warning : warnings.all()) text += warning + "\n";
  return text.empty() ? "none\n" : text;
}

std::string run(std::string_view script) {
  static const std::map<std::string_view, std::string (*)(const Command&)> kCommands = {
      {"validate", validate},
      {"template", validate_template},
      {"default", [](const Command& c) { return print_at(c.pod(), c.argument); }},
      {"create", [](const Command& c) { return print_at(created(c), c.argument); }},
      {"update", update},
      {"status", update_status},
      {"ephemeral", update_ephemeral},
      {"resize", resize},
      {"row", row},
      {"warn", warn},
  };
  const size_t end = std::min(script.find('\n'), script.size());
  const auto words = split(script.substr(0, end), ' ');
  const auto found = kCommands.find(words[0]);
  if (found == kCommands.end()) return "unknown command\n";
  Command command{.argument = words.size() > 1 ? words[1] : std::string_view()};
  auto documents = json::parse_yaml_stream(script.substr(std::min(end + 1, script.size())));
  if (!documents.ok()) return documents.status().message() + "\n";
  command.documents = std::move(*documents);
  return found->second(command);
}

class Pods : public testing::TestWithParam<const char*> {};

TEST_P(Pods, AreTreatedAsTheScriptSays) {
  const auto folder = std::filesystem::path(__FILE__).parent_path() / "testdata";
  testkit::run_golden(folder / GetParam(), run);
}

INSTANTIATE_TEST_SUITE_P(Scripts, Pods,
                         testing::Values("containers.txt", "environment.txt", "defaults.txt",
                                         "resources.txt", "scheduling.txt", "security.txt",
                                         "spec.txt", "volumes.txt", "update.txt", "status.txt",
                                         "subresources.txt", "rows.txt", "warnings.txt"),
                         [](const auto& test) {
                           const std::string file = test.param;
                           return file.substr(0, file.find('.'));
                         });

TEST(PodGracePeriod, IsForScheduledPodsThatRun) {
  const struct {
    const char* pod;
    std::optional<int64_t> requested;
    int64_t expected;
  } cases[] = {
      {"spec: {nodeName: n1, terminationGracePeriodSeconds: 30}", std::nullopt, 30},
      {"spec: {nodeName: n1, terminationGracePeriodSeconds: 30}", 5, 5},
      {"spec: {nodeName: n1, terminationGracePeriodSeconds: -1}", std::nullopt, 1},
      {"spec: {terminationGracePeriodSeconds: 30}", std::nullopt, 0},
      {"{spec: {nodeName: n1}, status: {phase: Failed}}", 5, 0},
      {"{spec: {nodeName: n1}, status: {phase: Succeeded}}", 5, 0},
  };
  for (const auto& c : cases) {
    const auto pod = json::parse_yaml(c.pod);
    ASSERT_TRUE(pod.ok());
    EXPECT_EQ(rules().grace_period(pod->root(), c.requested), c.expected) << c.pod;
  }
}

}  // namespace pods_test
}  // namespace proa::kinds
