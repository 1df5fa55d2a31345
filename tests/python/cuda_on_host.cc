// A CUDA driver that runs token_bitmask.cu on the host, one thread after the other.
//
// Test double: it has the calls that the package makes, with the signatures of cuda.h, and compiles
// the kernels as C++. It shows that the arithmetic of the kernels is right and that a launch passes
// what they read; it shows nothing about a device. One device with ordinal 0, compute
// capability 9.0.
#define __device__
#define __global__

struct Dimensions {
  unsigned x, y, z;
};
struct alignas(16) ulonglong2 {
  unsigned long long x, y;
};

static Dimensions blockIdx, threadIdx, blockDim, gridDim;

#include "token_bitmask.cu"

namespace {

using Kernel = void (*)(MaskArguments);

struct Function {
  const char* name;
  Kernel kernel;
};
constexpr Function kFunctions[] = {{"mask_logits_2", &mask_logits_2},
                                   {"mask_logits_4", &mask_logits_4},
                                   {"mask_logits_8", &mask_logits_8}};
constexpr int kInvalidValue = 1;
constexpr int kInvalidContext = 201;
constexpr int kNotFound = 500;

int context;
int num_pushed = 0;

bool Equal(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

}  // namespace

extern "C" {

int cuInit(unsigned flags) { return flags == 0 ? 0 : kInvalidValue; }

int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? 0 : 101;
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
  if (device != 0 || (attribute != 75 && attribute != 76)) return kInvalidValue;
  *value = attribute == 75 ? 9 : 0;
  return 0;
}

int cuDevicePrimaryCtxRetain(void** out, int device) {
  *out = &context;
  return device == 0 ? 0 : kInvalidValue;
}

int cuCtxPushCurrent_v2(void* pushed) {
  if (pushed != &context) return kInvalidContext;
  ++num_pushed;
  return 0;
}

int cuCtxPopCurrent_v2(void** popped) {
  *popped = &context;
  return --num_pushed < 0 ? kInvalidContext : 0;
}

int cuModuleLoadData(void** module, const void* image) {
  *module = &context;
  return num_pushed == 1 && Equal(static_cast<const char*>(image), "image") ? 0 : kInvalidValue;
}

int cuModuleGetFunction(void** function, void* module, const char* name) {
  if (module != &context) return kInvalidValue;
  for (const Function& known : kFunctions) {
    if (Equal(known.name, name)) {
      *function = const_cast<Function*>(&known);
      return 0;
    }
  }
  return kNotFound;
}

int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   void* stream, void** parameters, void** extra) {
  const bool fits = grid_x > 0 && grid_y > 0 && grid_y < 65536 && grid_z == 1 && block_x > 0 &&
                    block_x <= 1024 && block_y == 1 && block_z == 1;
  if (num_pushed != 1 || !fits || shared_bytes != 0 || stream != nullptr || extra != nullptr) {
    return kInvalidValue;
  }
  gridDim = {grid_x, grid_y, 1};
  blockDim = {block_x, 1, 1};
  for (blockIdx.y = 0; blockIdx.y < grid_y; ++blockIdx.y) {
    for (blockIdx.x = 0; blockIdx.x < grid_x; ++blockIdx.x) {
      for (threadIdx.x = 0; threadIdx.x < block_x; ++threadIdx.x) {
        static_cast<Function*>(function)->kernel(*static_cast<MaskArguments*>(parameters[0]));
      }
    }
  }
  return 0;
}

int cuGetErrorString(int status, const char** text) {
  *text = status == 101 ? "invalid device ordinal" : "refused";
  return 0;
}

}  // extern "C"
