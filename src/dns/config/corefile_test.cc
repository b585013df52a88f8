#include "dns/config/corefile.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace proa::dns {
namespace {

// "keys{plugin words{option;option};plugin}"
std::string structure(std::string_view text) {
  const auto blocks = parse_corefile(text);
  if (!blocks.ok()) return "! " + blocks.status().message();
  std::string all;
  for (const CorefileBlock& block : *blocks) {
    all += join(block.keys, "+") + "{";
    for (const CorefileLine& plugin : block.plugins) {
      all += join(plugin.words, " ");
      if (!plugin.options.empty()) all += "{";
      for (const CorefileLine& option : plugin.options) all += join(option.words, " ") + ";";
      if (!plugin.options.empty()) all += "}";
      all += ";";
    }
    all += "}";
  }
  return all;
}

TEST(Corefile, HasBlocksPluginsAndOptions) {
  const struct {
    const char* text;
    const char* expected;
  } cases[] = {
      {"", ""},
      {"# only\n  # comments", ""},
      {".:53 {\n errors\n health {\n  lameduck 5s\n }\n}\n", ".:53{errors;health{lameduck 5s;};}"},
      {"a, b,\nc {\n log\n}\nd:53 { }\n", "a+b+c{log;}d:53{}"},
      {". {\n log \"a b\" `c \\\" d` # rest\n}", ".{log a b c \\\" d;}"},
      {". {\n log \"a \\\" b\"\n}", ".{log a \" b;}"},
      {".\nerrors\nforward . 1.1.1.1\n", ".{errors;forward . 1.1.1.1;}"},
      {". {\n hosts { 10.0.0.1 a }\n}", ".{hosts{10.0.0.1 a;};}"},
      {". {\n log", "! Corefile line 1: the block is not closed"},
      {". {\n health {\n x\n", "! Corefile line 2: the block is not closed"},
      {". {\n log \"a\n", "! Corefile line 2: a quote is not closed"},
      {"{\n log\n}", "! Corefile line 1: the block has no zone"},
      {"}", "! Corefile line 1: \"}\" closes nothing"},
      {". {\n a {\n b {\n c\n }\n }\n}",
       "! Corefile line 3: an option cannot have a block of its own"},
      {". {\n {\n}\n}", "! Corefile line 2: a word is missing before the brace"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(structure(c.text), c.expected);
  }
  EXPECT_EQ(structure(std::string((size_t{1} << 20) + 1, ' ')),
            "! the Corefile is larger than 1 MiB");
}

}  // namespace
}  // namespace proa::dns
