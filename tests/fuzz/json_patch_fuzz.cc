// The input is [document, patch]: both kinds of patch result in a valid document.

#include <cstdint>

#include "base/check.h"
#include "json/parse.h"
#include "json/patch/json_patch.h"
#include "json/patch/merge_patch.h"
#include "json/print.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace proa::json;
  const auto input = parse({reinterpret_cast<const char*>(data), size});
  if (!input || input->root().items().size() != 2) return 0;
  const Value& patch = input->root().items()[1];

  const auto copy_of = [&] {
    Arena arena;
    Value root = input->root().items()[0].copy(arena);
    return Document(std::move(arena), std::move(root));
  };
  Document patched = copy_of();
  proa::Budget budget({.values = 10'000, .memory = size_t{4} << 20, .steps = 100'000});
  (void)apply_json_patch(patched, patch, budget,
                         {.max_operations = 1000, .max_copied_bytes = size_t{64} * 1024});
  CHECK(patched.root().depth() <= kMaxDepth);
  CHECK(parse(print(patched.root()))->root() == patched.root());

  Document merged = copy_of();
  // As upstream's, a list that takes the place of an object keeps its nulls, and loses them when it
  // takes that of a list.
  for (int i = 0; i < 2; ++i) apply_merge_patch(merged, patch);
  const std::string twice = print(merged.root());
  apply_merge_patch(merged, patch);
  CHECK(print(merged.root()) == twice);
  return 0;
}
