#include "store/rocks/record.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace proa::store {
namespace record_test {

std::string encode(const Entry& entry, bool last, Revision durable) {
  std::string value;
  encode_record_header(entry, last, durable, value);
  return value.append(entry.key_and_value());
}

TEST(Record, ComesBackAsItWas) {
  const Entry::Facts facts{.mod_revision = {9'000'000'000},
                           .create_revision = {17},
                           .version = 300,
                           .index = 5,
                           .expiry = Time(std::chrono::seconds(1767366245))};
  const EntryPtr entry = Entry::make("/registry/pods/default/web", std::string(3000, 'x'), facts);
  const auto record = decode_record(record_name(entry->mod_revision(), entry->index()),
                                    encode(*entry, true, {8'999'999'000}));
  ASSERT_TRUE(record.ok()) << record.status().message();
  EXPECT_EQ(record->entry->key_and_value(), entry->key_and_value());
  EXPECT_EQ(record->entry->key(), entry->key());
  EXPECT_EQ(record->entry->mod_revision(), entry->mod_revision());
  EXPECT_EQ(record->entry->create_revision(), entry->create_revision());
  EXPECT_EQ(record->entry->version(), 300);
  EXPECT_EQ(record->entry->index(), 5u);
  EXPECT_EQ(record->entry->expiry(), entry->expiry());
  EXPECT_TRUE(record->last);
  EXPECT_EQ(record->durable, Revision{8'999'999'000});
}

TEST(Record, DeletionComesBackAsItWas) {
  const EntryPtr entry = Entry::make("/a", "", {.mod_revision = {3}, .deleted = true});
  const auto record = decode_record(record_name({3}, 0), encode(*entry, false, {2}));
  ASSERT_TRUE(record.ok()) << record.status().message();
  EXPECT_TRUE(record->entry->deleted());
  EXPECT_FALSE(record->last);
}

TEST(Record, SplitsIntoPartsAndChangesItsForm) {
  const EntryPtr entry = Entry::make("/a", "plain",
                                     {.mod_revision = {300},
                                      .create_revision = {2},
                                      .version = 200,
                                      .expiry = Time(std::chrono::seconds(5))});
  const std::string whole = encode(*entry, true, {2});
  const auto parts = split_record(whole);
  ASSERT_TRUE(parts.ok()) << parts.status().message();
  EXPECT_EQ(parts->key, "/a");
  EXPECT_EQ(parts->value.bytes, "plain");
  EXPECT_FALSE(parts->value.transformed);
  const std::string sealed = header_with_form(parts->header, true) + "/asecret";
  const auto record = decode_record(record_name({300}, 0), sealed);
  ASSERT_TRUE(record.ok()) << record.status().message();
  EXPECT_TRUE(record->entry->sealed());
  EXPECT_EQ(record->entry->value(), "secret");
  EXPECT_EQ(record->entry->expiry(), entry->expiry());
  EXPECT_TRUE(record->last);
  EXPECT_TRUE(split_record(sealed)->value.transformed);
  EXPECT_EQ(header_with_form(split_record(sealed)->header, false), parts->header);
  for (size_t size = 0; size < parts->header.size() + 2; ++size) {
    EXPECT_FALSE(split_record(whole.substr(0, size)).ok()) << size;
  }
}

TEST(Record, NamesSortByRevisionAndIndex) {
  EXPECT_LT(record_name({1}, 2), record_name({1}, 10));
  EXPECT_LT(record_name({255}, 0), record_name({256}, 0));
  EXPECT_LT(facts_name(), record_name({1}, 0));
}

TEST(Record, EveryCutIsRefused) {
  const EntryPtr entry = Entry::make(
      "/a", "", {.mod_revision = {300}, .create_revision = {2}, .version = 200, .expiry = Time()});
  const std::string name = record_name({300}, 0);
  const std::string whole = encode(*entry, true, {2});
  ASSERT_TRUE(decode_record(name, whole).ok());
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(decode_record(name, whole.substr(0, size)).ok()) << size;
  }
  EXPECT_FALSE(decode_record(name.substr(1), whole).ok());
  EXPECT_FALSE(decode_record(facts_name(), whole).ok());
}

TEST(Facts, ComeBackAsTheyWere) {
  const JournalFacts facts{
      .compacted = {70}, .ceiling = {100'070}, .gaps = {{{80}, {90}}, {{95}, {10'000}}}};
  const auto decoded = decode_facts(encode_facts(facts));
  ASSERT_TRUE(decoded.ok()) << decoded.status().message();
  EXPECT_EQ(*decoded, facts);
  const std::string whole = encode_facts(facts);
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(decode_facts(whole.substr(0, size)).ok()) << size;
  }
  EXPECT_FALSE(decode_facts(whole + "x").ok());
}

}  // namespace record_test
}  // namespace proa::store
