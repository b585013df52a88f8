#include "base/process/memory.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <new>
#include <string>

// Defined by jemalloc if it is linked.
extern "C" int mallctl(const char* name, void* old_value, size_t* old_size, void* new_value,
                       size_t new_size) __attribute__((weak));
extern "C" void* mallocx(size_t size, int flags) __attribute__((weak));
extern "C" void dallocx(void* block, int flags) __attribute__((weak));

namespace proa {
namespace memory {

// All arenas: MALLCTL_ARENAS_ALL.
constexpr const char* kPurge = "arena.4096.purge";

// Below this, ten seconds' worth of freed memory (jemalloc's default) is too much to keep. Above
// it, the page faults are worth saving.
constexpr size_t kLittle = size_t{1} << 30;

// Arenas that do not exist yet take the default.
void release_at_once() {
  ssize_t delay = 0;
  mallctl("arenas.dirty_decay_ms", nullptr, nullptr, &delay, sizeof delay);
  unsigned count = 0;
  size_t size = sizeof count;
  if (mallctl("arenas.narenas", &count, &size, nullptr, 0) != 0) return;
  for (unsigned i = 0; i < count; ++i) {
    const std::string name = "arena." + std::to_string(i) + ".dirty_decay_ms";
    mallctl(name.c_str(), nullptr, nullptr, &delay, sizeof delay);
  }
}

// Segments that are never written hold only the file's bytes. Those that the loader writes to and
// then protects belong to writable segments, and are skipped.
int release_segments(dl_phdr_info* object, size_t, void* total) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  for (size_t i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    const uintptr_t begin = (object->dlpi_addr + segment.p_vaddr) / page * page;
    const uintptr_t end = object->dlpi_addr + segment.p_vaddr + segment.p_memsz;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader states addresses as numbers
    if (madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED) == 0) {
      *static_cast<size_t*>(total) += end - begin;
    }
  }
  return 0;
}

// MALLOCX_TCACHE_NONE: what a thread keeps for its next allocation would mix both kinds again.
constexpr int kUncached = 1 << 8;

// MALLOCX_ARENA of an arena that only allocate_apart() uses; zero, which chooses none, if there is
// no jemalloc.
int arena_apart() {
  static const int flag = [] {
    unsigned arena = 0;
    size_t size = sizeof arena;
    if (mallctl == nullptr || mallocx == nullptr || dallocx == nullptr) return 0;
    if (mallctl("arenas.create", &arena, &size, nullptr, 0) != 0) return 0;
    return static_cast<int>(arena + 1) << 20;
  }();
  return flag;
}

}  // namespace memory

size_t release_unused_memory() {
  if (mallctl != nullptr) mallctl(memory::kPurge, nullptr, nullptr, nullptr, 0);
  size_t total = 0;
  dl_iterate_phdr(memory::release_segments, &total);
  return total;
}

void release_memory_continuously(size_t memory) {
  if (mallctl == nullptr) return;
  if (memory < memory::kLittle) memory::release_at_once();
  bool on = true;
  mallctl("background_thread", nullptr, nullptr, &on, sizeof on);
}

void* allocate_apart(size_t bytes) {
  const int arena = memory::arena_apart();
  if (arena == 0) return ::operator new(bytes);
  void* block = mallocx(bytes, arena | memory::kUncached);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void free_apart(void* block) {
  if (memory::arena_apart() == 0) return ::operator delete(block);
  dallocx(block, memory::kUncached);
}

}  // namespace proa
