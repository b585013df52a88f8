#include "profile/elf_symbols.h"

#include <gtest/gtest.h>

#include <fstream>

#include "profile/loaded_objects.h"

extern "C" __attribute__((noinline)) int proa_symbol_for_test(int value) { return value + 1; }

namespace proa::profile {
namespace {

std::string own_file() {
  std::ifstream in("/proc/self/exe", std::ios::binary | std::ios::ate);
  std::string bytes(static_cast<size_t>(in.tellg()), '\0');
  in.seekg(0);
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

TEST(ElfSymbols, OfThisProgramHaveNames) {
  const std::string file = own_file();
  const std::vector<ElfSymbol> symbols = read_elf_symbols(file);
  ASSERT_FALSE(symbols.empty());
  const ElfSymbol* found = nullptr;
  for (const ElfSymbol& symbol : symbols) {
    if (symbol.name == "proa_symbol_for_test") found = &symbol;
  }
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(find_symbol(symbols, found->address), found);
  EXPECT_EQ(find_symbol(symbols, found->address + found->size - 1), found);
  EXPECT_NE(find_symbol(symbols, found->address + found->size), found);
  EXPECT_EQ(find_symbol(symbols, 0), nullptr);
}

TEST(ElfSymbols, AFileThatWasCutHasFewerOrNone) {
  const std::string file = own_file();
  for (const size_t size : {size_t{0}, size_t{3}, size_t{16}, size_t{63}, size_t{64},
                            file.size() / 2, file.size() - 1}) {
    SCOPED_TRACE(size);
    static_cast<void>(read_elf_symbols(std::string_view(file).substr(0, size)));
  }
  EXPECT_TRUE(read_elf_symbols("").empty());
  EXPECT_TRUE(read_elf_symbols(std::string(4096, 'x')).empty());
}

TEST(FunctionNames, NameCodeThatIsLoaded) {
  FunctionNames names(loaded_code());
  ASSERT_FALSE(names.code().empty());
  const auto here = reinterpret_cast<uint64_t>(&proa_symbol_for_test);
  EXPECT_EQ(names.mapping_of(here), 0u) << "the program comes first";
  EXPECT_EQ(names.name_of(here + 1), "proa_symbol_for_test");
  EXPECT_TRUE(names.code()[0].file.ends_with("profile_test")) << names.code()[0].file;
  int variable = 0;
  EXPECT_EQ(names.mapping_of(reinterpret_cast<uint64_t>(&variable)), names.code().size());
  EXPECT_EQ(names.name_of(reinterpret_cast<uint64_t>(&variable)), "");
}

}  // namespace
}  // namespace proa::profile
