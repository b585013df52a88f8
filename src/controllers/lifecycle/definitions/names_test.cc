#include "controllers/lifecycle/definitions/names.h"

#include <gtest/gtest.h>

namespace proa::controllers::definitions {
namespace {

Names ships() {
  return {.plural = "ships",
          .singular = "ship",
          .short_names = {"sh", "boat"},
          .kind = "Ship",
          .list_kind = "ShipList",
          .categories = {"all"}};
}

TEST(DecideNames, RefusesWhatOthersOfTheGroupHave) {
  const Names other{.plural = "vessels",
                    .singular = "ship",
                    .short_names = {"sh", "boat"},
                    .kind = "Ship",
                    .list_kind = "Vessels",
                    .categories = {}};
  const struct {
    const char* name;
    Names other;
    const char* reason;
    const char* message;
    Names accepted;
  } cases[] = {
      {"nothing in common",
       {.plural = "a",
        .singular = "b",
        .short_names = {},
        .kind = "C",
        .list_kind = "D",
        .categories = {"all"}},
       "NoConflicts",
       "no conflicts found",
       ships()},
      {"a plural that is a singular",
       {.plural = "x",
        .singular = "ships",
        .short_names = {},
        .kind = "C",
        .list_kind = "D",
        .categories = {}},
       "PluralConflict",
       "\"ships\" is already in use",
       {.plural = "",
        .singular = "ship",
        .short_names = {"sh", "boat"},
        .kind = "Ship",
        .list_kind = "ShipList",
        .categories = {"all"}}},
      {"a singular that is an abbreviation",
       {.plural = "x",
        .singular = "y",
        .short_names = {"ship"},
        .kind = "C",
        .list_kind = "D",
        .categories = {}},
       "SingularConflict",
       "\"ship\" is already in use",
       {.plural = "ships",
        .singular = "",
        .short_names = {"sh", "boat"},
        .kind = "Ship",
        .list_kind = "ShipList",
        .categories = {"all"}}},
      {"one abbreviation",
       {.plural = "x",
        .singular = "boat",
        .short_names = {},
        .kind = "C",
        .list_kind = "D",
        .categories = {}},
       "ShortNamesConflict",
       "\"boat\" is already in use",
       {.plural = "ships",
        .singular = "ship",
        .short_names = {},
        .kind = "Ship",
        .list_kind = "ShipList",
        .categories = {"all"}}},
      {"a kind that is a kind of lists",
       {.plural = "x",
        .singular = "y",
        .short_names = {},
        .kind = "C",
        .list_kind = "Ship",
        .categories = {}},
       "KindConflict",
       "\"Ship\" is already in use",
       {.plural = "ships",
        .singular = "ship",
        .short_names = {"sh", "boat"},
        .kind = "",
        .list_kind = "ShipList",
        .categories = {"all"}}},
      {"a kind of lists",
       {.plural = "x",
        .singular = "y",
        .short_names = {},
        .kind = "ShipList",
        .list_kind = "D",
        .categories = {}},
       "ListKindConflict",
       "\"ShipList\" is already in use",
       {.plural = "ships",
        .singular = "ship",
        .short_names = {"sh", "boat"},
        .kind = "Ship",
        .list_kind = "",
        .categories = {"all"}}},
      {"many: the last one is told",
       other,
       "KindConflict",
       "\"Ship\" is already in use",
       {.plural = "ships",
        .singular = "",
        .short_names = {},
        .kind = "",
        .list_kind = "ShipList",
        .categories = {"all"}}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    NamesInUse in_use;
    in_use.add(c.other);
    const NamesDecision decision = decide_names(ships(), {}, in_use);
    EXPECT_EQ(decision.condition.reason, c.reason);
    EXPECT_EQ(decision.condition.message, c.message);
    EXPECT_EQ(decision.condition.status, c.accepted == ships() ? "True" : "False");
    EXPECT_TRUE(decision.accepted == c.accepted);
  }
}

TEST(DecideNames, TellsOfAllAbbreviationsThatAreInUse) {
  const Names other{.plural = "sh",
                    .singular = "boat",
                    .short_names = {},
                    .kind = "C",
                    .list_kind = "D",
                    .categories = {}};
  NamesInUse in_use;
  in_use.add(other);
  EXPECT_EQ(decide_names(ships(), {}, in_use).condition.message,
            "[\"sh\" is already in use, \"boat\" is already in use]");
}

TEST(DecideNames, KeepsWhatTheDefinitionHas) {
  const Names own = ships();
  NamesInUse in_use;
  in_use.add(own);
  Names wanted = ships();
  wanted.short_names = {"boat", "sail"};
  const NamesDecision decision = decide_names(wanted, own, in_use);
  EXPECT_EQ(decision.condition.reason, "NoConflicts");
  EXPECT_TRUE(decision.accepted == wanted);
}

TEST(DecideNames, KeepsTheNamesBeforeAConflict) {
  const Names own = ships();
  const Names other{.plural = "fleets",
                    .singular = "fleet",
                    .short_names = {"fl"},
                    .kind = "Fleet",
                    .list_kind = "FleetList",
                    .categories = {}};
  NamesInUse in_use;
  in_use.add(own);
  in_use.add(other);
  Names wanted = ships();
  wanted.short_names = {"fl"};
  wanted.singular = "vessel";
  const NamesDecision decision = decide_names(wanted, own, in_use);
  EXPECT_EQ(decision.condition.reason, "ShortNamesConflict");
  EXPECT_EQ(decision.accepted.short_names, own.short_names);
  EXPECT_EQ(decision.accepted.singular, "vessel");
}

}  // namespace
}  // namespace proa::controllers::definitions
