//! Links inputs in memory and prints the resources of the kernels:
//! link_in_memory ARCH OUT.cubin INPUT...
//!
//! `bindgen include/warpld.h` would make all declarations. This example declares the few that it
//! needs by hand. It sets options by name, so that it does not need the whole structure of options.
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::{env, fs, process, ptr};

/// The beginning of struct warpld_options. Fields that are zero, or beyond `size`, have their
/// defaults.
#[repr(C)]
struct Options {
    size: usize,
    architecture: *const c_char,
    diagnostic: Option<extern "C" fn(*mut c_void, *const Diagnostic)>,
    diagnostic_context: *mut c_void,
    rest: [u64; 16],
}

#[repr(C)]
struct Diagnostic {
    size: usize,
    severity: c_int,
    code: *const c_char,
    text: *const c_char,
}

#[repr(C)]
struct Kernel {
    size: usize,
    name: *const c_char,
    input: *const c_char,
    registers: u32,
    barriers: u32,
    stack_bytes: u64,
    shared_bytes: u64,
    constant_bytes: u64,
    local_bytes: u64,
    parameter_bytes: u64,
    is_stack_known: bool,
}

#[link(name = "warpld")]
extern "C" {
    fn warpld_create(options: *const Options, link: *mut *mut c_void) -> c_int;
    fn warpld_set_option(link: *mut c_void, name: *const c_char, value: *const c_char) -> c_int;
    fn warpld_add_memory(
        link: *mut c_void,
        name: *const c_char,
        data: *const c_void,
        size: usize,
    ) -> c_int;
    fn warpld_run(link: *mut c_void) -> c_int;
    fn warpld_write(link: *mut c_void, path: *const c_char) -> c_int;
    fn warpld_get_kernel(link: *mut c_void, index: usize, kernel: *mut Kernel) -> c_int;
    fn warpld_destroy(link: *mut c_void);
}

const OK: c_int = 0;

extern "C" fn print(_: *mut c_void, diagnostic: *const Diagnostic) {
    let text = unsafe { CStr::from_ptr((*diagnostic).text) };
    eprintln!("{}", text.to_string_lossy());
}

fn print_kernels(link: *mut c_void) {
    let mut kernel: Kernel = unsafe { std::mem::zeroed() };
    kernel.size = std::mem::size_of::<Kernel>();
    let mut index = 0;
    while unsafe { warpld_get_kernel(link, index, &mut kernel) } == OK {
        let name = unsafe { CStr::from_ptr(kernel.name) }.to_string_lossy();
        println!(
            "{}: {} registers, {} bytes of stack, {} bytes of shared memory",
            name, kernel.registers, kernel.stack_bytes, kernel.shared_bytes
        );
        index += 1;
    }
}

fn main() {
    let arguments: Vec<String> = env::args().collect();
    let text = |i: usize| CString::new(arguments[i].as_str()).unwrap();
    let options = Options {
        size: std::mem::size_of::<Options>(),
        architecture: ptr::null(),
        diagnostic: Some(print),
        diagnostic_context: ptr::null_mut(),
        rest: [0; 16],
    };
    let files: Vec<Vec<u8>> = arguments[3..].iter().map(|path| fs::read(path).unwrap()).collect();
    let mut link = ptr::null_mut();
    let linked = unsafe {
        assert_eq!(warpld_create(&options, &mut link), OK);
        warpld_set_option(link, b"arch\0".as_ptr().cast(), text(1).as_ptr());
        for (i, file) in files.iter().enumerate() {
            warpld_add_memory(link, text(i + 3).as_ptr(), file.as_ptr().cast(), file.len());
        }
        warpld_run(link) == OK && warpld_write(link, text(2).as_ptr()) == OK
    };
    if linked {
        print_kernels(link);
    }
    unsafe { warpld_destroy(link) };
    process::exit(if linked { 0 } else { 1 });
}
