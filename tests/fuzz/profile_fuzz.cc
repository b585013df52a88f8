// What profiles are made of: ELF files with symbols, and jemalloc's heap profiles.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "profile/elf_symbols.h"
#include "profile/heap_profile.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace proa::profile;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto symbols = read_elf_symbols(input);
  for (const ElfSymbol& symbol : symbols) {
    const bool inside = symbol.name.data() >= input.data() &&
                        symbol.name.data() + symbol.name.size() <= input.data() + input.size();
    if (!inside || symbol.name.empty()) std::abort();
    static_cast<void>(find_symbol(symbols, symbol.address));
  }
  const auto profile = read_heap_dump(input, {});
  if (!profile.ok()) return 0;
  for (const Sample& sample : profile->samples) {
    if (sample.values.size() != 2 || sample.values[0] < 0 || sample.values[1] < 0) std::abort();
  }
  return 0;
}
