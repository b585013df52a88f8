#include "policy/rules/table_state.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "netlink/nft/print.h"
#include "testkit/golden.h"
#include "testkit/policy/policy_text.h"

namespace proa::policy {
namespace {

std::string describe(nft::Family family, const TableChange& change) {
  std::string text;
  for (const nft::Set& set : change.new_sets) text += fmt::format("new set {}\n", set.name);
  for (const nft::Chain& chain : change.new_chains) {
    text += fmt::format("new chain {}\n", chain.name);
    for (const nft::Rule& rule : chain.rules) {
      text += fmt::format("  {}\n", nft::print(family, rule));
    }
  }
  for (const TableChange::Elements& elements : change.elements) {
    for (const nft::Element& element : elements.removed) {
      text +=
          fmt::format("{} - {}\n", elements.set.name, nft::print(family, elements.set, element));
    }
    for (const nft::Element& element : elements.added) {
      text +=
          fmt::format("{} + {}\n", elements.set.name, nft::print(family, elements.set, element));
    }
  }
  for (const std::string& chain : change.old_chains) text += fmt::format("old chain {}\n", chain);
  for (const std::string& set : change.old_sets) text += fmt::format("old set {}\n", set);
  return text;
}

// Objects are answered by what changes; "table ip" and "table ip6" by the whole.
TEST(PolicyTable, ChangesWithTheModel) {
  PolicyModel model;
  TableState v4({nft::Family::kIp, kTable});
  TableState v6({nft::Family::kIp6, kTable}, "proa0");
  v4.table(model);
  testkit::run_golden(std::filesystem::path(__FILE__).parent_path() / "testdata/tables.txt",
                      [&](std::string_view command) {
                        if (command == "table ip")
                          return nft::print(TableState(v4.name()).table(model));
                        if (command == "table ip6") return nft::print(v6.table(model));
                        testkit::put_objects(model, command);
                        return describe(nft::Family::kIp, v4.change(model, model.take()));
                      });
}

}  // namespace
}  // namespace proa::policy
