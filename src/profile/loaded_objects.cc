#include "profile/loaded_objects.h"

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "base/encoding.h"

namespace proa::profile {
namespace loaded_objects {

// Also where the file was replaced by a newer one.
constexpr const char* kOwnProgram = "/proc/self/exe";

std::string own_path() {
  std::array<char, 4096> path{};
  const ssize_t size = ::readlink(kOwnProgram, path.data(), path.size());
  return size < 0 ? std::string() : std::string(path.data(), static_cast<size_t>(size));
}

size_t aligned(size_t size) { return (size + 3) & ~size_t{3}; }

// The notes are in memory, where the loader put them.
std::string build_id_of(const dl_phdr_info& object) {
  for (size_t i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader states addresses as numbers
    const auto* at = reinterpret_cast<const char*>(object.dlpi_addr + segment.p_vaddr);
    const char* end = at + segment.p_memsz;
    while (static_cast<size_t>(end - at) >= sizeof(ElfW(Nhdr))) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const size_t names = aligned(note.n_namesz);
      const size_t whole = sizeof note + names + aligned(note.n_descsz);
      if (whole > static_cast<size_t>(end - at)) break;
      const char* name = at + sizeof note;
      if (note.n_type == NT_GNU_BUILD_ID &&
          std::string_view(name, note.n_namesz) == std::string_view("GNU", 4))
        return to_hex({name + names, note.n_descsz});
      at += whole;
    }
  }
  return {};
}

int add_code(dl_phdr_info* object, size_t, void* context) {
  auto& all = *static_cast<std::vector<CodeMapping>*>(context);
  const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  for (size_t i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const uint64_t begin = (object->dlpi_addr + segment.p_vaddr) / page * page;
    const uint64_t end = object->dlpi_addr + segment.p_vaddr + segment.p_memsz;
    all.push_back({.begin = begin,
                   .end = (end + page - 1) / page * page,
                   .file_offset = segment.p_offset / page * page,
                   .base = object->dlpi_addr,
                   .file = *object->dlpi_name == '\0' ? own_path() : object->dlpi_name,
                   .build_id = build_id_of(*object)});
  }
  return 0;
}

}  // namespace loaded_objects

std::vector<CodeMapping> loaded_code() {
  std::vector<CodeMapping> all;
  ::dl_iterate_phdr(loaded_objects::add_code, &all);
  return all;
}

FunctionNames::~FunctionNames() {
  for (const File& file : files_) {
    if (!file.bytes.empty()) ::munmap(const_cast<char*>(file.bytes.data()), file.bytes.size());
  }
}

size_t FunctionNames::mapping_of(uint64_t address) const {
  size_t index = 0;
  while (index < code_.size() && !code_[index].contains(address)) ++index;
  return index;
}

void FunctionNames::open(size_t index) {
  File& file = files_[index];
  file.opened = true;
  const bool own = code_[index].base == code_.front().base;
  const int descriptor =
      ::open(own ? loaded_objects::kOwnProgram : code_[index].file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  struct stat facts = {};
  if (::fstat(descriptor, &facts) == 0 && facts.st_size > 0) {
    const auto size = static_cast<size_t>(facts.st_size);
    void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapped != MAP_FAILED) {
      file.bytes = {static_cast<const char*>(mapped), size};
      file.symbols = read_elf_symbols(file.bytes);
    }
  }
  ::close(descriptor);
}

std::string_view FunctionNames::name_of(uint64_t address) {
  const size_t index = mapping_of(address);
  if (index == code_.size()) return {};
  if (!files_[index].opened) open(index);
  const ElfSymbol* symbol = find_symbol(files_[index].symbols, address - code_[index].base);
  return symbol == nullptr ? std::string_view() : symbol->name;
}

}  // namespace proa::profile
