// The input is [document, patch], for one of a few kinds: the result is a valid document, no deeper
// than the inputs and no longer than both together.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/patch/strategic_merge.h"
#include "api/schema/builtin.h"
#include "api/schema/schema.h"
#include "base/check.h"
#include "json/parse.h"
#include "json/print.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace proa;
  using namespace proa::api;
  if (size < 1) return 0;
  static const std::array kTypes{
      builtin_schema().find_kind("v1", "Pod"),
      builtin_schema().find_kind("apps/v1", "Deployment"),
      builtin_schema().find_kind("v1", "Service"),
  };
  const Type& type = *kTypes[data[0] % kTypes.size()];
  const auto input = json::parse({reinterpret_cast<const char*>(data + 1), size - 1});
  if (!input || input->root().items().size() != 2) return 0;
  const json::Value& original = input->root().items()[0];
  const json::Value& patch = input->root().items()[1];
  if (!original.is(json::Kind::kObject)) return 0;

  json::Arena arena;
  json::Value root = original.copy(arena);
  json::Document document(std::move(arena), std::move(root));
  Budget budget({.memory = size_t{8} << 20, .steps = 1'000'000});
  const auto applied = apply_strategic_merge(document, patch, type, budget);
  CHECK(document.root().depth() <= std::max(original.depth(), patch.depth()));
  const std::string printed = json::print(document.root());
  CHECK(json::parse(printed)->root() == document.root());
  if (!applied) {
    CHECK(applied.status().code() >= 400 && applied.status().code() < 500);
    return 0;
  }
  CHECK(printed.size() <= json::print(original).size() + json::print(patch).size());
  return 0;
}
