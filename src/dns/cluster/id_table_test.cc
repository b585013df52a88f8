#include "dns/cluster/id_table.h"

#include <gtest/gtest.h>

#include <set>

#include "base/random.h"

namespace proa::dns {
namespace {

std::set<uint32_t> ids_of(const IdTable& table, uint32_t hash) {
  std::set<uint32_t> ids;
  table.find(hash, [&](uint32_t id) {
    EXPECT_TRUE(ids.insert(id).second);
    return false;
  });
  return ids;
}

// Few hashes, so that entries stand in each other's way, around the end of the table too.
TEST(IdTable, AgreesWithASet) {
  SeededRandom random(1);
  IdTable table;
  std::set<std::pair<uint32_t, uint32_t>> model;
  for (int i = 0; i < 20000; ++i) {
    const auto hash = static_cast<uint32_t>(random.below(24)) * 0x0fffffffU;
    const auto id = static_cast<uint32_t>(random.below(12));
    if (random.below(2) == 0) {
      table.add(hash, id);
      model.emplace(hash, id);
    } else {
      table.remove(hash, id);
      model.erase({hash, id});
    }
    ASSERT_EQ(table.size(), model.size());
    std::set<uint32_t> wanted;
    for (const auto& [one, known] : model) {
      if (one == hash) wanted.insert(known);
    }
    ASSERT_EQ(ids_of(table, hash), wanted) << i;
  }
}

TEST(IdTable, StopsWhereItIsTold) {
  IdTable table;
  EXPECT_FALSE(table.find(1, [](uint32_t) { return true; }));
  table.remove(1, 1);
  table.add(1, 1);
  table.add(1, 2);
  int visits = 0;
  EXPECT_TRUE(table.find(1, [&](uint32_t) { return ++visits == 1; }));
  EXPECT_EQ(visits, 1);
}

}  // namespace
}  // namespace proa::dns
